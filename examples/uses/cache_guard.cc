// SPDX-License-Identifier: Apache-2.0
// cache_guard MEMCACHED_PORT [FILTER]: an HTTP server on loopback that answers
// GET /KEY with what memcached has.  With a filter of the keys that are there,
// most requests for absent keys never reach memcached.  Prints its port, and
// ends when its standard input does.

#include <httplib.h>
#include <microhttpd.h>
#include <sys/socket.h>
#include <unistd.h>
#include <atomic>
#include <cstdlib>
#include <iostream>
#include <limits>
#include <memory>
#include <optional>
#include <string>

#include <arpa/inet.h>
#include <netinet/in.h>

#include "tamis/filter_file.h"

namespace {

// A connection to memcached on loopback.  Lines end in CR LF.
class Memcached {
 public:
  explicit Memcached(int port) : socket_(socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<std::uint16_t>(port));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    is_open_ = connect(socket_, reinterpret_cast<sockaddr*>(&address),
                       sizeof(address)) == 0;
  }
  ~Memcached() { close(socket_); }
  Memcached(const Memcached&) = delete;
  Memcached& operator=(const Memcached&) = delete;

  // Returns the value of a key; nothing: it has none.
  std::optional<std::string> Get(const std::string& key) {
    const std::string request = "get " + key + "\r\n";
    if (!is_open_ || write(socket_, request.data(), request.size()) !=
                         static_cast<ssize_t>(request.size())) {
      return std::nullopt;
    }
    // "VALUE key flags bytes", the value, and "END"; or "END" alone.
    const std::string header = Line();
    if (!header.starts_with("VALUE ")) return std::nullopt;
    std::string value =
        Bytes(std::strtoul(header.c_str() + header.rfind(' '), nullptr, 10));
    Line();  // what ends the value
    Line();  // END
    return value;
  }

 private:
  // False: there is no more.
  bool Receive() {
    char piece[4096];
    const ssize_t count = read(socket_, piece, sizeof(piece));
    if (count > 0) received_.append(piece, static_cast<std::size_t>(count));
    return count > 0;
  }
  std::string Bytes(std::size_t count) {
    while (received_.size() < count && Receive()) {
    }
    std::string bytes = received_.substr(0, count);
    received_.erase(0, count);
    return bytes;
  }
  std::string Line() {
    while (received_.find("\r\n") == std::string::npos && Receive()) {
    }
    const std::size_t end = received_.find("\r\n");
    std::string line = received_.substr(0, end);
    received_.erase(0, end == std::string::npos ? end : end + 2);
    return line;
  }

  int socket_;
  bool is_open_;
  std::string received_;
};

struct Guard {
  int memcached_port = 0;
  std::unique_ptr<const tamis::FilterFile> present;  // null: not known
  std::atomic<std::uint64_t> asked = 0;              // how often memcached was
};

// Called by a thread of its own for each connection.
MHD_Result Answer(void* context, MHD_Connection* connection, const char* url,
                  const char*, const char*, const char*, std::size_t*, void**) {
  Guard* const guard = static_cast<Guard*>(context);
  const std::string key = url + 1;
  std::optional<std::string> value;
  if (guard->present == nullptr || guard->present->reader().MayContain(key)) {
    ++guard->asked;
    thread_local Memcached service(guard->memcached_port);
    value = service.Get(key);
  }
  std::string body = value.value_or("");
  MHD_Response* const response = MHD_create_response_from_buffer(
      body.size(), body.data(), MHD_RESPMEM_MUST_COPY);
  const MHD_Result result = MHD_queue_response(
      connection, value.has_value() ? MHD_HTTP_OK : MHD_HTTP_NOT_FOUND,
      response);
  MHD_destroy_response(response);
  return result;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2 && argc != 3) {
    std::cerr << "usage: cache_guard MEMCACHED_PORT [FILTER]\n";
    return 2;
  }
  Guard guard;
  guard.memcached_port = std::atoi(argv[1]);
  if (argc == 3) {
    auto file = tamis::FilterFile::Open(argv[2]);
    if (file.ok()) {
      guard.present = *std::move(file);
    } else {  // as if there were none
      std::cerr << file.status().ToString() << "; every request is passed on\n";
    }
  }
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  MHD_Daemon* const daemon = MHD_start_daemon(
      MHD_USE_INTERNAL_POLLING_THREAD | MHD_USE_THREAD_PER_CONNECTION, 0,
      nullptr, nullptr, Answer, &guard, MHD_OPTION_SOCK_ADDR, &address,
      MHD_OPTION_END);
  if (daemon == nullptr) return 1;
  std::cout << MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_BIND_PORT)->port
            << std::endl;
  std::cin.ignore(std::numeric_limits<std::streamsize>::max());
  MHD_stop_daemon(daemon);
  std::cout << "memcached was asked " << guard.asked << " times\n";
}
