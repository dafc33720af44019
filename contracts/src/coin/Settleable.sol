// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

import {Instruction, Kind, Reason} from "../shared/Instruction.sol";
import {Execution, ISettleable} from "../shared/ISettleable.sol";
import {PausableUpgradeable} from "@openzeppelin/contracts-upgradeable/utils/PausableUpgradeable.sol";
import {GuardedERC20} from "./GuardedERC20.sol";
import {Linkable} from "./Linkable.sol";

/// @title Settled movements
/// @notice Lets the Settlement contract mint, burn and move in batches.
/// @dev There is no inner call and no `try`: the instructions run in one frame, each is refused by a decision made
/// before anything is written, and running out of gas undoes them all. So nothing but the state of the coin can make
/// an instruction fail.
abstract contract Settleable is ISettleable, GuardedERC20, Linkable {
    /// @notice May mint, burn and move. Meant for the Settlement contract alone.
    bytes32 public constant SETTLER_ROLE = keccak256("SETTLER_ROLE");

    /// @notice The greatest amount of one instruction. It keeps the supply far from overflowing, which would revert.
    uint256 public constant MAX_INSTRUCTION_AMOUNT = type(uint128).max;

    /// @notice The most instructions of one call: one bit each in the result.
    uint256 public constant MAX_INSTRUCTIONS_PER_CALL = 256;

    /// @notice A call has more instructions than its result has bits.
    /// @param count How many it has.
    error TooManyInstructions(uint256 count);

    /// @inheritdoc ISettleable
    function execute(Instruction[] calldata instructions)
        external
        onlyRole(SETTLER_ROLE)
        whenNotPaused
        returns (Execution memory execution)
    {
        uint256 count = instructions.length;
        if (count > MAX_INSTRUCTIONS_PER_CALL) revert TooManyInstructions(count);
        execution.reasons = new bytes(count);
        for (uint256 i = 0; i < count; ++i) {
            (Reason reason, Kind kind, uint256 amount) = _execute(instructions[i]);
            if (reason != Reason.None) {
                execution.reasons[i] = bytes1(uint8(reason));
                continue;
            }
            execution.successBitmap |= uint256(1) << i;
            if (kind == Kind.Mint) execution.minted += amount;
            else execution.debited += amount;
        }
    }

    /// @notice Whether the coin is stopped.
    /// @return Whether it is paused.
    function paused() public view override(ISettleable, PausableUpgradeable) returns (bool) {
        return super.paused();
    }

    /// @dev Executes an instruction if that can be done.
    /// @param instruction The instruction; all its fields are read, so that one not canonically encoded reverts.
    /// @return reason Why it could not be executed; `None` when it was.
    /// @return kind Its kind.
    /// @return amount Its amount.
    function _execute(Instruction calldata instruction) private returns (Reason reason, Kind kind, uint256 amount) {
        address from;
        address to;
        (kind, from, to, amount) = (instruction.kind, instruction.from, instruction.to, instruction.amount);
        reason = _refusalOf(kind, from, to, amount);
        if (reason == Reason.None) _updateChecked(from, to, amount);
    }

    /// @dev Decides whether an instruction can be executed now.
    /// @param kind Its kind.
    /// @param from The wallet debited.
    /// @param to The wallet credited.
    /// @param amount Its amount.
    /// @return Why it cannot be; `None` when it can.
    function _refusalOf(Kind kind, address from, address to, uint256 amount) private view returns (Reason) {
        if (amount == 0 || amount > MAX_INSTRUCTION_AMOUNT) return Reason.InvalidInstruction;
        if ((from == address(0)) != (kind == Kind.Mint)) return Reason.InvalidInstruction;
        if ((to == address(0)) != (kind == Kind.Burn)) return Reason.InvalidInstruction;

        if (kind != Kind.Burn && _flagsOf(to) & FROZEN != 0) return Reason.Frozen;
        if (kind == Kind.Mint) return Reason.None;

        uint256 flags = _flagsOf(from);
        if (flags & FROZEN != 0) return Reason.Frozen;
        if (flags & LINKED == 0) return Reason.NotLinked;
        if (balanceOf(from) < amount) return Reason.InsufficientBalance;
        return Reason.None;
    }
}
