// SPDX-License-Identifier: Apache-2.0
// Runs a recording again and compares the frames that leave the card: cycles and bytes.
#pragma once

#include <stdexcept>
#include <string>

#include "../include/girih_card.h"

namespace girih {

class Card;

// A file with the wrong format.
class FormatError : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

girih_replay_result replay(Card &card, const std::string &path, girih_goes_on goes_on);

}  // namespace girih
