#include "bench/store_child.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>
#include <array>
#include <cerrno>
#include <cstdio>
#include <iostream>
#include <system_error>
#include <utility>

#include <nlohmann/json.hpp>

namespace tamis::bench {
namespace {

using Json = nlohmann::json;

// A question and an answer are one line each:
//   {"phase": "missing", "round": 0}
//   {"figures": {"missing": [61.2, 61.0]}}  or  {"code": 2, "message": "..."}

std::string AnswerLine(const Result<Figures>& result) {
  Json json;
  if (result.ok()) {
    json["figures"] = Json::object();
    for (const auto& [name, sample] : *result) {
      json["figures"][name] = {sample.value, sample.cpu};
    }
  } else {
    json["code"] = static_cast<int>(result.status().code());
    json["message"] = result.status().message();
  }
  return json.dump();
}

Result<Figures> ParseAnswer(const std::string& line) {
  const Json json = Json::parse(line, nullptr, /*allow_exceptions=*/false);
  if (json.is_discarded()) return Status::IoError("no answer: " + line);
  if (json.contains("code")) {
    return Status(static_cast<StatusCode>(json["code"].get<int>()),
                  json["message"].get<std::string>());
  }
  Figures figures;
  for (const auto& [name, pair] : json["figures"].items()) {
    figures[name] = {.value = pair[0].get<double>(),
                     .cpu = pair[1].get<double>()};
  }
  return figures;
}

class Process final : public StoreChild {
 public:
  Process(pid_t id, int questions, int answers)
      : id_(id),
        questions_(::fdopen(questions, "w")),
        answers_(::fdopen(answers, "r")) {}
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;
  ~Process() override {
    std::fclose(questions_);  // which tells it to end
    std::fclose(answers_);
    int status = 0;
    while (::waitpid(id_, &status, 0) < 0 && errno == EINTR) {
    }
  }

  Result<Figures> Run(std::string_view phase, unsigned round) override {
    const Json question = {{"phase", std::string(phase)}, {"round", round}};
    const std::string line = question.dump() + "\n";
    std::fputs(line.c_str(), questions_);
    std::fflush(questions_);
    std::string answer;
    for (int c = std::fgetc(answers_); c != '\n'; c = std::fgetc(answers_)) {
      if (c == EOF) {
        return Status::IoError("the process of this store has died");
      }
      answer.push_back(static_cast<char>(c));
    }
    return ParseAnswer(answer);
  }

 private:
  pid_t id_;
  std::FILE* questions_;
  std::FILE* answers_;
};

Status SystemSays(int error) {
  return Status::IoError("cannot start a process: " +
                         std::system_category().message(error));
}

}  // namespace

Result<std::unique_ptr<StoreChild>> StoreChild::Start(
    const std::vector<std::string>& arguments) {
  std::array<int, 2> questions = {};
  std::array<int, 2> answers = {};
  if (::pipe2(questions.data(), O_CLOEXEC) != 0) return SystemSays(errno);
  if (::pipe2(answers.data(), O_CLOEXEC) != 0) return SystemSays(errno);

  std::vector<std::string> copies = arguments;
  std::vector<char*> pointers;
  for (std::string& argument : copies) pointers.push_back(argument.data());
  pointers.push_back(nullptr);

  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_adddup2(&actions, questions[0], STDIN_FILENO);
  ::posix_spawn_file_actions_adddup2(&actions, answers[1], STDOUT_FILENO);
  pid_t id = 0;
  const int failed = ::posix_spawn(&id, "/proc/self/exe", &actions, nullptr,
                                   pointers.data(), ::environ);
  ::posix_spawn_file_actions_destroy(&actions);
  ::close(questions[0]);
  ::close(answers[1]);
  if (failed != 0) {
    ::close(questions[1]);
    ::close(answers[0]);
    return SystemSays(failed);
  }
  return std::unique_ptr<StoreChild>(
      std::make_unique<Process>(id, questions[1], answers[0]));
}

void ServePhases(StoreWorker* worker) {
  for (std::string line; std::getline(std::cin, line);) {
    const Json json = Json::parse(line, nullptr, /*allow_exceptions=*/false);
    if (json.is_discarded()) return;
    const auto figures = worker->Run(json["phase"].get<std::string>(),
                                     json["round"].get<unsigned>());
    std::cout << AnswerLine(figures) << std::endl;
  }
}

}  // namespace tamis::bench
