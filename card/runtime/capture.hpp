// SPDX-License-Identifier: Apache-2.0
// Captures of links and ports into one pcapng file.
#pragma once

#include "../include/girih_card.h"
#include "pcap.hpp"
#include "port.hpp"

namespace girih {

class Capture final : public PortObserver {
 public:
  Capture(const girih_capture_params &params, uint32_t card_links, uint32_t card_ports, uint32_t data_width);

  const std::vector<uint32_t> &links() const { return links_; }
  void flit(uint32_t link, uint64_t cycle, bool first, bool bad, bool last, uint32_t valid, const uint32_t *data,
            const uint32_t *desc);
  void input(uint32_t port, const Frame &frame, uint64_t cycle) override;
  void output(uint32_t port, const Frame &frame) override;
  uint64_t finish();  // the number of messages; throws if the file could not be written

 private:
  struct Field {
    std::string name;
    uint32_t bits, count, lowest;  // lowest: the lowest bit in the packed descriptor
  };
  struct Link {
    int interface = -1;  // its number in the file; -1: not captured
    bool open = false;   // within a message whose first flit was captured
    uint64_t cycle = 0;
    std::vector<uint8_t> bytes;
    std::vector<uint32_t> descriptor;
  };

  std::string comment(const Link &link, bool bad) const;

  uint32_t card_links_, flit_words_, descriptor_words_;
  std::vector<uint32_t> links_;
  std::vector<Field> fields_;
  std::vector<Link> state_;  // links, then ports
  PcapngWriter writer_;
};

}  // namespace girih
