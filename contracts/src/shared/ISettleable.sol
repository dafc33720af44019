// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

import {Instruction} from "./Instruction.sol";

/// @title What Settlement asks of the coin
/// @notice The only two functions of the coin that Settlement calls.
interface ISettleable {
    /// @notice Executes instructions in their order; one that cannot be executed changes nothing and harms no other.
    /// @dev Reverts as a whole only when the caller is not a settler, when the coin is paused, when the calldata is not
    /// canonical ABI encoding, or when gas runs out. Never because of what a single instruction asks for.
    /// @param instructions The instructions.
    /// @return reasons One byte per instruction: the `Reason` it failed for, zero when it succeeded.
    function execute(Instruction[] calldata instructions) external returns (bytes memory reasons);

    /// @notice Whether every movement of the coin is stopped.
    /// @return Whether the coin is paused.
    function paused() external view returns (bool);
}
