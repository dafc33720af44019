// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

import {Instruction, Kind, Reason} from "../shared/Instruction.sol";
import {ISettleable} from "../shared/ISettleable.sol";
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

    /// @inheritdoc ISettleable
    function execute(Instruction[] calldata instructions)
        external
        onlyRole(SETTLER_ROLE)
        whenNotPaused
        returns (bytes memory reasons)
    {
        uint256 count = instructions.length;
        reasons = new bytes(count);
        for (uint256 i = 0; i < count; ++i) {
            Instruction calldata instruction = instructions[i];
            Reason reason = _refusalOf(instruction);
            if (reason == Reason.None) {
                _updateChecked(instruction.from, instruction.to, instruction.amount);
            } else {
                reasons[i] = bytes1(uint8(reason));
            }
        }
    }

    /// @notice Whether the coin is stopped.
    /// @return Whether it is paused.
    function paused() public view override(ISettleable, PausableUpgradeable) returns (bool) {
        return super.paused();
    }

    /// @dev Decides whether an instruction can be executed now.
    /// @param instruction The instruction.
    /// @return Why it cannot be; `None` when it can.
    function _refusalOf(Instruction calldata instruction) private view returns (Reason) {
        (Kind kind, address from, address to, uint256 amount) =
            (instruction.kind, instruction.from, instruction.to, instruction.amount);

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
