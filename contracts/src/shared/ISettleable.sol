// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

/// @notice What became of the instructions of one call. Sums are in units of 10^-6 coin.
/// @param successBitmap Bit i is set when instruction i succeeded.
/// @param sums The sums of the mints, burns and transfers that succeeded, by their `Kind`.
/// @param failures Two bytes for each instruction that failed: its index and its `Reason`.
struct Execution {
    uint256 successBitmap;
    uint256[3] sums;
    bytes failures;
}

/// @title What Settlement asks of the coin
/// @notice The only function of the coin that Settlement calls.
interface ISettleable {
    /// @notice Executes instructions in their order; one that cannot be executed changes nothing and harms no other.
    /// @dev Reverts as a whole only when the caller is not a settler, the coin is paused, there is no instruction or more
    /// than 255, the bytes are no instructions, or gas runs out. Never because of what a single instruction asks for.
    /// @param instructions 1 to 255 packed instructions (`PackedInstructions`).
    /// @return execution What became of them.
    function execute(bytes calldata instructions) external returns (Execution memory execution);
}
