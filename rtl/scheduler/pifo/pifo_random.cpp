// SPDX-License-Identifier: Apache-2.0
// Random operations on the PIFO, many more than the Python bench could drive, against a list per
// queue that is searched from end to end, and one of its overdue entries. Every output is compared in every cycle.
//
//   pifo_random <operations> <seed>
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <random>
#include <vector>

#include "Vpifo.h"
#include "verilated.h"
#if VM_COVERAGE
#include "verilated_cov.h"
#endif

namespace {

constexpr int kLatency = 3;   // from a pop to its slot
constexpr int kUnknown = 4;   // cycles in which the rank at an end may be unknown after a pop there
constexpr int kRanks = 1 << RANK_WIDTH;
constexpr int kChild = 1 << (RANK_WIDTH / 2);
constexpr int kWindow = kRanks / 2 - kChild;  // ranks of a circular queue are at most this far apart

struct Entry {
  int rank;
  int slot;
};

struct Popped {
  uint64_t cycle;
  int queue, rank, slot;
  bool highest;
  bool overdue = false;  // it comes from the list of overdue entries: its rank is not known
};

// What the operations are like for a while.
struct Phase {
  int push_percent, pop_percent, highest_percent, age_percent;
  int queues;     // operations go to so many of them
  int ranks;      // 0: all, 1: one rank, 2: a few, 3: falling, 4: one word of the tree
  int base;
  bool lifo;      // slots are used again at once
};

class Bench {
 public:
  explicit Bench(uint64_t seed) : random_(seed) {
    for (int i = 0; i < ENTRIES; i++) free_.push_back(i);
  }

  void run(uint64_t operations) {
    reset();
    while (done_ < operations) {
      if (below(12) == 0) reset();
      if (below(3) == 0) drain();
      const Phase phase = choose();
      const int cycles = 20 + below(2500);
      for (int i = 0; i < cycles; i++) step(phase);
    }
    drain();
    std::printf("%llu operations in %llu cycles, %llu with both, fullest %d\n", (unsigned long long)done_,
                (unsigned long long)cycle_, (unsigned long long)both_, fullest_);
  }

 private:
  int below(int n) { return static_cast<int>(random_() % static_cast<uint64_t>(n)); }

  void require(bool good, const char* what, int queue, long got, long want) {
    if (good) return;
    std::printf("cycle %llu, queue %d: %s is %ld, not %ld\n", (unsigned long long)cycle_, queue, what, got, want);
    std::exit(1);
  }

  long size(int queue) const { return queues_[queue].size() + overdue_[queue].size(); }

  bool circular(int queue) const { return circular_ >> queue & 1; }

  // Whether a comes before b.
  bool before(int queue, int a, int b) const {
    return circular(queue) ? ((a - b) & (kRanks - 1)) >= kRanks / 2 : a < b;
  }

  // The first of the lowest or of the highest.
  size_t extreme(int queue, bool highest) const {
    const auto& list = queues_[queue];
    size_t best = 0;
    for (size_t i = 1; i < list.size(); i++) {
      if (highest ? before(queue, list[best].rank, list[i].rank) : before(queue, list[i].rank, list[best].rank)) best = i;
    }
    return best;
  }

  Phase choose() {
    static const int percent[] = {0, 20, 50, 80, 100, 100};
    Phase phase;
    phase.push_percent = percent[below(6)];
    phase.pop_percent = percent[below(6)];
    phase.highest_percent = below(2) ? 0 : percent[below(6)];
    phase.age_percent = below(2) ? 0 : percent[below(4)];
    phase.queues = below(3) == 0 ? 1 : 1 + below(QUEUES);
    phase.ranks = below(5);
    phase.base = below(kRanks);
    phase.lifo = below(2);
    falling_ = kRanks - 1;
    return phase;
  }

  int rank_for(const Phase& phase, int queue) {
    int rank;
    switch (phase.ranks) {
      case 0: rank = below(kRanks); break;
      case 1: rank = phase.base; break;
      case 2: rank = (phase.base + below(3)) & (kRanks - 1); break;
      case 3: rank = falling_ = falling_ == 0 ? kRanks - 1 : falling_ - 1; break;
      default: rank = (phase.base & ~(kChild - 1)) | below(kChild);
    }
    const auto& list = queues_[queue];
    if (!circular(queue)) return rank;
    std::vector<int> near;  // what the rank must be near to
    if (!list.empty()) near = {list[extreme(queue, false)].rank, list[extreme(queue, true)].rank};
    for (const Popped& popped : leaving_) {
      if (!tight_ && popped.queue == queue && cycle_ - popped.cycle <= kUnknown) near.push_back(popped.rank);
    }
    if (near.empty()) return rank;
    int low = near[0], high = near[0];
    for (const int other : near) {
      if (before(queue, other, low)) low = other;
      if (before(queue, high, other)) high = other;
    }
    const int span = (high - low) & (kRanks - 1);
    const int room = kWindow - span;  // below the lowest and above the highest
    const int offset = (rank - low + room) & (kRanks - 1);
    if (offset <= span + 2 * room) return rank;
    return (low - room + (below(2) ? 0 : span + 2 * room)) & (kRanks - 1);  // as far away as is allowed
  }

  void idle_inputs() {
    dut_.push_valid_i = 0;
    dut_.pop_valid_i = 0;
    dut_.pop_one_i = 0;
    dut_.tail_queue_i = cycle_ % QUEUES;
  }

  void clock() {
    dut_.clk_i = 1;
    dut_.eval();
    dut_.clk_i = 0;
    dut_.eval();
    cycle_++;
  }

  void reset() {
    idle_inputs();
    dut_.rst_i = 1;
    clock();
    clock();
    dut_.rst_i = 0;
    int waited = 0;
    while (!dut_.ready_o) {
      clock();
      require(++waited < (1 << 20), "cycles until ready", 0, waited, 1 << 20);
    }
    free_.clear();
    for (int i = 0; i < ENTRIES; i++) free_.push_back(i);
    for (int q = 0; q < QUEUES; q++) {
      queues_[q].clear();
      overdue_[q].clear();
      tail_of_[q] = {};
      for (int end = 0; end < 2; end++) lost_[end][q] = cycle_;
    }
    expected_.clear();
    leaving_.clear();
    tight_ = below(2);
    circular_ = random_() & random_();
    if (QUEUES < 64) circular_ &= (uint64_t{1} << (QUEUES % 64)) - 1;
    dut_.circular_i = circular_;
    dut_.eval();
  }

  void drain() {
    const Phase phase{0, 100, below(2) ? 50 : 0, below(2) ? 50 : 0, QUEUES, 0, 0, false};
    for (int i = 0; i < 2 * ENTRIES + 8; i++) step(phase);
    const Phase rest{0, 100, below(2) ? 50 : 0, 0, QUEUES, 0, 0, false};
    for (int i = 0; i < ENTRIES + 8; i++) step(rest);
    for (int q = 0; q < QUEUES; q++) require(size(q) == 0, "entries after draining", q, size(q), 0);
  }

  void check_outputs() {
    for (int q = 0; q < QUEUES; q++) {
      const auto& list = queues_[q];
      require((dut_.overdue_o >> q & 1) == !overdue_[q].empty(), "overdue", q, dut_.overdue_o >> q & 1, !overdue_[q].empty());
      require((dut_.treed_o >> q & 1) == !list.empty(), "treed", q, dut_.treed_o >> q & 1, !list.empty());
      require((dut_.last_o >> q & 1) == (size(q) == 1), "last", q, dut_.last_o >> q & 1, size(q) == 1);
      const bool head = dut_.head_valid_o >> q & 1;
      if (list.empty()) {
        require(!head, "the head's validity", q, head, 0);
      } else if (!head) {
        require(cycle_ - lost_[0][q] <= kUnknown, "cycles without a head", q, cycle_ - lost_[0][q], kUnknown);
      } else if ((touched_ >> q & 1) && !(tight_ && circular(q))) {
        const int want = list[extreme(q, 0)].rank;
        require(dut_.head_rank_o[q] == want, "head rank", q, dut_.head_rank_o[q], want);
      }
      // Of the previous cycle.
      const bool tail = dut_.tail_valid_o >> q & 1;
      if (!tail_of_[q].some) {
        require(!tail, "the tail's validity", q, tail, 0);
      } else if (!tail) {
        require(cycle_ - 1 - tail_of_[q].lost <= kUnknown, "cycles without a tail", q, cycle_ - 1 - tail_of_[q].lost, kUnknown);
      } else if (q == dut_.tail_queue_i && !(tight_ && circular(q))) {
        require(dut_.tail_rank_o == tail_of_[q].rank, "tail rank", q, dut_.tail_rank_o, tail_of_[q].rank);
      }
      tail_of_[q].some = !list.empty();
      tail_of_[q].lost = lost_[1][q];
    }
    const int next = (cycle_ + 1) % QUEUES;  // of which the tail is looked at then
    if (!queues_[next].empty()) tail_of_[next].rank = queues_[next][extreme(next, 1)].rank;
    const bool due = !expected_.empty() && expected_.front().cycle == cycle_;
    require(dut_.popped_valid_o == due, "popped_valid", -1, dut_.popped_valid_o, due);
    if (!due) return;
    const Popped want = expected_.front();
    expected_.pop_front();
    require(dut_.popped_slot_o == want.slot, "slot", want.queue, dut_.popped_slot_o, want.slot);
    require(dut_.popped_overdue_o == want.overdue, "overdue", want.queue, dut_.popped_overdue_o, want.overdue);
    if (!want.overdue) require(dut_.popped_rank_o == want.rank, "rank", want.queue, dut_.popped_rank_o, want.rank);
    require(dut_.popped_queue_o == want.queue, "queue", want.queue, dut_.popped_queue_o, want.queue);
    require(dut_.popped_highest_o == want.highest, "highest", want.queue, dut_.popped_highest_o, want.highest);
  }

  void step(const Phase& phase) {
    idle_inputs();
    // The slot that leaves in this cycle is free from the next one on.
    const bool freed = !expected_.empty() && expected_.front().cycle == cycle_;
    const int freed_slot = freed ? expected_.front().slot : 0;
    uint64_t touched = 0;

    int pop_queue = below(phase.queues);
    for (int i = 0; size(pop_queue) == 0 && i < QUEUES; i++) pop_queue = (pop_queue + 1) % QUEUES;
    const bool pop = size(pop_queue) != 0 && below(100) < phase.pop_percent;
    const bool age = pop && !queues_[pop_queue].empty() && below(100) < phase.age_percent;
    dut_.pop_age_i = age;
    if (pop) {
      dut_.pop_valid_i = 1;
      dut_.pop_one_i = uint64_t{1} << pop_queue;
      dut_.pop_queue_i = pop_queue;
      dut_.pop_highest_i = !age && below(100) < phase.highest_percent;
    } else {
      dut_.pop_queue_i = below(QUEUES);
      dut_.pop_highest_i = below(2);
    }
    // Outputs belong to the state before this cycle's operations; the pop comes before the push.
    dut_.eval();
    check_outputs();
    if (pop) {
      const bool highest = dut_.pop_highest_i;
      auto& overdue = overdue_[pop_queue];
      if (!age && !overdue.empty() && !(highest && !queues_[pop_queue].empty())) {
        expected_.push_back({cycle_ + kLatency, pop_queue, 0, highest ? overdue.back() : overdue.front(), highest, true});
        if (highest) {
          overdue.pop_back();
        } else {
          overdue.pop_front();
        }
      } else {
        const size_t taken = extreme(pop_queue, highest);
        const Entry entry = queues_[pop_queue][taken];
        if (age) {
          overdue.push_back(entry.slot);
        } else {
          expected_.push_back({cycle_ + kLatency, pop_queue, entry.rank, entry.slot, highest});
        }
        leaving_.push_back({cycle_, pop_queue, entry.rank, entry.slot, highest});
        if (leaving_.size() > kUnknown) leaving_.pop_front();
        queues_[pop_queue].erase(queues_[pop_queue].begin() + taken);
        lost_[highest][pop_queue] = cycle_;
        if (queues_[pop_queue].empty()) lost_[!highest][pop_queue] = cycle_;
        touched |= uint64_t{1} << pop_queue;
      }
      done_++;
    }
    const bool push = !free_.empty() && below(100) < phase.push_percent;
    const int push_queue = below(phase.queues);
    dut_.push_queue_i = push_queue;
    if (push) {
      const int rank = rank_for(phase, push_queue);
      const int at = phase.lifo ? free_.size() - 1 : below(free_.size());
      const int slot = free_[at];
      free_.erase(free_.begin() + at);
      dut_.push_valid_i = 1;
      dut_.push_rank_i = rank;
      dut_.push_slot_i = slot;
      queues_[push_queue].push_back({rank, slot});
      touched |= uint64_t{1} << push_queue;
      done_++;
      both_ += pop;
    }
    fullest_ = std::max<int>(fullest_, ENTRIES - free_.size());
    if (freed) free_.push_back(freed_slot);
    // An end is compared until it has been seen known and right: five cycles after the last change.
    for (int age = 4; age > 0; age--) recent_[age] = recent_[age - 1];
    recent_[0] = touched;
    touched_ = recent_[0] | recent_[1] | recent_[2] | recent_[3] | recent_[4];
    clock();
  }

  Vpifo dut_;
  std::mt19937_64 random_;
  std::vector<Entry> queues_[QUEUES];  // what is in the tree
  std::deque<int> overdue_[QUEUES];    // slots
  struct Tail {
    bool some = false;  // there was one in the previous cycle
    long lost = 0;
    int rank = 0;
  };
  Tail tail_of_[QUEUES];
  std::vector<int> free_;
  std::deque<Popped> expected_, leaving_;
  // Whether ranks of circular queues may be as far apart as the order of pops allows. Else they are
  // also near to those that have just left, as the ends need it, and only then are those compared.
  bool tight_ = false;
  uint64_t lost_[2][QUEUES] = {};
  uint64_t recent_[5] = {};
  uint64_t touched_ = 0, circular_ = 0, cycle_ = 0, done_ = 0, both_ = 0;
  int falling_ = 0, fullest_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
  Verilated::commandArgs(argc, argv);
  Bench bench(std::strtoull(argv[2], nullptr, 0));
  bench.run(std::strtoull(argv[1], nullptr, 0));
#if VM_COVERAGE
  Verilated::defaultContextp()->coveragep()->write();
#endif
  return 0;
}
