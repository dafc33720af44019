// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

import {Kind} from "../../src/shared/Instruction.sol";

/// @notice An instruction before it is packed.
/// @param from The wallet debited; zero for a mint.
/// @param to The wallet credited; zero for a burn.
struct Instruction {
    Kind kind;
    address from;
    address to;
    uint64 amount;
    bytes8 tag;
}

/// @dev Packs instructions as contracts/README.md says; written apart from the contracts.
function pack(Instruction[] memory batch) pure returns (bytes memory packed) {
    for (uint256 i = 0; i < batch.length; ++i) packed = bytes.concat(packed, packOne(batch[i]));
}

/// @dev Packs one instruction.
function packOne(Instruction memory instruction) pure returns (bytes memory packed) {
    packed = abi.encodePacked(uint8(instruction.kind), instruction.amount, instruction.tag);
    if (instruction.kind != Kind.Mint) packed = bytes.concat(packed, bytes20(instruction.from));
    if (instruction.kind != Kind.Burn) packed = bytes.concat(packed, bytes20(instruction.to));
}
