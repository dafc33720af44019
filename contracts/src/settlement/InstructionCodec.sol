// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

import {ISettleable} from "../shared/ISettleable.sol";
import {Instruction} from "../shared/Instruction.sol";

/// @title Encoding of instructions by copying
/// @notice Makes the call to the coin and the digest of a batch from one copy of its calldata. Solidity would decode and
/// encode every instruction twice for the same bytes.
library InstructionCodec {
    /// @notice Encodes `execute(instructions)` and hashes the instructions.
    /// @dev The words of the instructions are taken as they are. They are the canonical encoding, or else the coin, which
    /// decodes every field of every instruction, reverts on them, and the digest is never stored.
    /// @param instructions The instructions, few enough that their size does not overflow.
    /// @return data `abi.encodeCall(ISettleable.execute, (instructions))`.
    /// @return digest `keccak256(abi.encode(instructions))`.
    function encodeExecute(Instruction[] calldata instructions)
        internal
        pure
        returns (bytes memory data, bytes32 digest)
    {
        bytes4 selector = ISettleable.execute.selector;
        assembly ("memory-safe") {
            // Layout of data: length, 4 bytes of selector, offset of the array (0x20), its length, 4 words each.
            let size := mul(instructions.length, 0x80)
            data := mload(0x40)
            mstore(data, add(size, 0x44))
            mstore(add(data, 0x20), selector)
            mstore(add(data, 0x24), 0x20)
            mstore(add(data, 0x44), instructions.length)
            calldatacopy(add(data, 0x64), instructions.offset, size)
            mstore(0x40, and(add(add(data, 0x83), size), not(0x1f)))
            digest := keccak256(add(data, 0x24), add(size, 0x40))
        }
    }
}
