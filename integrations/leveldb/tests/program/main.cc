// SPDX-License-Identifier: Apache-2.0
// main.cc SCENE DIR SEED

#include <cstdlib>
#include <cstring>

#include "scene.h"

namespace {

struct Named {
  const char* name;
  void (*run)(const Scene& scene);
};

constexpr Named kScenes[] = {
    {"random", RandomOperations},
    {"statuses", Statuses},
    {"batches", Batches},
    {"iterators", Iterators},
    {"default_env", DefaultEnv},
    {"own_env", OwnEnv},
    {"filters", Filters},
    {"caches", Caches},
    {"tables", Tables},
    {"whole", Whole},
    {"bases", Bases},
};

}  // namespace

void Say(const Scene& scene, const char* what, const leveldb::Status& status) {
  std::string text = status.ToString();
  for (std::size_t at; (at = text.find(scene.dir)) != std::string::npos;) {
    text.replace(at, scene.dir.size(), "DIR");
  }
  std::printf("%s: %s\n", what, text.c_str());
}

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  for (const Named& scene : kScenes) {
    if (std::strcmp(scene.name, argv[1]) != 0) continue;
    scene.run({argv[2], static_cast<unsigned>(std::atoi(argv[3]))});
    return 0;
  }
  return 2;
}
