// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

import {Instruction} from "./Instruction.sol";

/// @notice What became of the instructions of one call.
/// @param successBitmap Bit i is set when instruction i succeeded.
/// @param minted The sum of the mints that succeeded.
/// @param debited The sum of the burns and transfers that succeeded.
/// @param reasons One byte per instruction: the `Reason` it failed for, zero when it succeeded.
struct Execution {
    uint256 successBitmap;
    uint256 minted;
    uint256 debited;
    bytes reasons;
}

/// @title What Settlement asks of the coin
/// @notice The only two functions of the coin that Settlement calls.
interface ISettleable {
    /// @notice Executes instructions in their order; one that cannot be executed changes nothing and harms no other.
    /// @dev Reverts as a whole only when the caller is not a settler, when the coin is paused, when there are more than 256
    /// instructions, when the calldata is not canonical ABI encoding, or when gas runs out. Never because of what a single instruction asks for.
    /// @param instructions At most 256 instructions.
    /// @return execution What became of them.
    function execute(Instruction[] calldata instructions) external returns (Execution memory execution);

    /// @notice Whether every movement of the coin is stopped.
    /// @return Whether the coin is paused.
    function paused() external view returns (bool);
}
