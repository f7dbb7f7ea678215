// SPDX-License-Identifier: Apache-2.0
#include "tap.hpp"

#include <fcntl.h>
#include <linux/if.h>
#include <linux/if_tun.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <memory>
#include <system_error>
#include <utility>

#include "port.hpp"

namespace girih {
namespace {

[[noreturn]] void fail(const std::string &what) { throw std::system_error(errno, std::generic_category(), what); }

class Descriptor {
 public:
  explicit Descriptor(const std::string &path, int flags) : fd_(open(path.c_str(), flags | O_CLOEXEC)) {
    if (fd_ < 0) fail("cannot open " + path);
  }
  ~Descriptor() {
    if (fd_ >= 0) close(fd_);
  }
  Descriptor(const Descriptor &) = delete;
  int get() const { return fd_; }
  int release() { return std::exchange(fd_, -1); }

 private:
  int fd_;
};

// Moves the calling thread to another network namespace for its lifetime.
class InNamespace {
 public:
  explicit InNamespace(const std::string &path) {
    if (path.empty()) return;
    home_ = std::make_unique<Descriptor>("/proc/thread-self/ns/net", O_RDONLY);
    const Descriptor target(path, O_RDONLY);
    if (setns(target.get(), CLONE_NEWNET) != 0) fail("cannot enter the network namespace " + path);
  }
  ~InNamespace() {
    // To continue in the wrong namespace would be worse than to end here.
    if (home_ && setns(home_->get(), CLONE_NEWNET) != 0) std::terminate();
  }
  InNamespace(const InNamespace &) = delete;

 private:
  std::unique_ptr<Descriptor> home_;
};

}  // namespace

Tap::Tap(Port &port, const std::string &netns, const std::string &name) : port_(port), buffer_(65536) {
  if (name.empty() || name.size() >= IFNAMSIZ) {
    throw std::invalid_argument("the name of a TAP device has 1 to 15 characters");
  }
  const InNamespace inside(netns);
  Descriptor device("/dev/net/tun", O_RDWR | O_NONBLOCK);
  ifreq request{};
  request.ifr_flags = IFF_TAP | IFF_NO_PI;
  std::memcpy(request.ifr_name, name.data(), name.size());
  if (ioctl(device.get(), TUNSETIFF, &request) != 0) fail("cannot make the TAP device " + name);
  fd_ = device.release();
}

Tap::~Tap() {
  if (fd_ >= 0) close(fd_);
}

bool Tap::next(uint64_t cycle, Frame &frame) {
  if (gone_ || cycle < next_poll_) return false;
  const ssize_t size = read(fd_, buffer_.data(), buffer_.size());
  if (size <= 0) {
    // Reading from a deleted device (with or without its namespace) gives another error than reading while no frame
    // waits.
    gone_ = gone_ || (size < 0 && errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR);
    next_poll_ = cycle + PollCycles;
    return false;
  }
  frame.bytes.assign(buffer_.begin(), buffer_.begin() + size);
  return true;
}

void Tap::take(const Frame &frame) {
  // Writing fails if the device is down or full, and if the cable has been pulled.
  if (frame.bad || write(fd_, frame.bytes.data(), frame.bytes.size()) < 0) port_.count_backend_drop();
}

}  // namespace girih
