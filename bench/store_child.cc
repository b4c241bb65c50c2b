// SPDX-License-Identifier: Apache-2.0
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

#include "bench/json.h"

namespace tamis::bench {
namespace {

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
    const std::string line = QuestionLine(phase, round) + "\n";
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

void ServePhases(const RunPhase& run) {
  for (std::string line; std::getline(std::cin, line);) {
    const auto question = ParseQuestion(line);
    if (!question.has_value()) return;
    const auto figures = run(question->phase, question->round);
    std::cout << AnswerLine(figures) << std::endl;
  }
}

}  // namespace tamis::bench
