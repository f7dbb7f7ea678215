// SPDX-License-Identifier: Apache-2.0
#include "capture.hpp"

#include <algorithm>
#include <sstream>
#include <stdexcept>

namespace girih {

Capture::Capture(const girih_capture_params &params, uint32_t card_links, uint32_t card_ports, uint32_t data_width)
    : card_links_(card_links),
      flit_words_(data_width / 32),
      descriptor_words_((params.descriptor_bits + 31) / 32),
      links_(params.links, params.links + params.link_count),
      state_(card_links + 2 * card_ports),
      writer_(params.path) {
  std::istringstream words(params.descriptor ? params.descriptor : "");
  uint32_t left = params.descriptor_bits;
  for (std::string word; words >> word;) {
    std::replace(word.begin(), word.end(), ':', ' ');
    std::istringstream parts(word);
    Field field{};
    parts >> field.name >> field.bits >> field.count;
    if (!parts || field.bits * field.count > left) throw std::invalid_argument("the descriptor's layout is wrong");
    left -= field.bits * field.count;
    field.lowest = left;
    fields_.push_back(field);
  }
  for (uint32_t i = 0; i < params.link_count; i++) {
    if (links_[i] >= state_.size()) {
      throw std::invalid_argument("the card has no link number " + std::to_string(links_[i]));
    }
    state_[links_[i]].interface = writer_.add_interface(params.names[i]);
  }
}

void Capture::flit(uint32_t index, uint64_t cycle, bool first, bool bad, bool last, uint32_t valid,
                   const uint32_t *data, const uint32_t *desc) {
  Link &link = state_[index];
  if (link.interface < 0) return;
  if (!first && !link.open) return;  // the capture began within this message
  if (first) {
    link.open = true;
    link.cycle = cycle;
    link.bytes.clear();
    link.descriptor.assign(desc, desc + descriptor_words_);
  }
  const auto *bytes = reinterpret_cast<const uint8_t *>(data);
  link.bytes.insert(link.bytes.end(), bytes, bytes + std::min(valid, flit_words_ * 4));
  if (last) {
    link.open = false;
    writer_.packet(link.interface, link.cycle, link.bytes, comment(link, bad));
  }
}

std::string Capture::comment(const Link &link, bool bad) const {
  std::ostringstream text;
  text << "cycle=" << link.cycle << " bad=" << bad;
  for (const Field &field : fields_) {
    text << ' ' << field.name << '=';
    for (uint32_t i = 0; i < field.count; i++) {
      uint64_t value = 0;
      for (uint32_t bit = 0; bit < field.bits; bit++) {
        const uint32_t at = field.lowest + i * field.bits + bit;
        value |= static_cast<uint64_t>(link.descriptor[at / 32] >> (at % 32) & 1) << bit;
      }
      text << (i ? "," : "") << value;
    }
  }
  return text.str();
}

void Capture::input(uint32_t port, const Frame &frame, uint64_t cycle) {
  const Link &link = state_[card_links_ + 2 * port];
  if (link.interface >= 0) {
    writer_.packet(link.interface, cycle, frame.bytes, "cycle=" + std::to_string(cycle) + " bad=" + (frame.bad ? "1" : "0"));
  }
}

void Capture::output(uint32_t port, const Frame &frame) {
  const Link &link = state_[card_links_ + 2 * port + 1];
  if (link.interface >= 0) {
    writer_.packet(link.interface, frame.first_cycle, frame.bytes,
                   "cycle=" + std::to_string(frame.first_cycle) + " bad=" + (frame.bad ? "1" : "0"));
  }
}

uint64_t Capture::finish() { return writer_.finish(); }

}  // namespace girih
