// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

import {SafeCast} from "@openzeppelin/contracts/utils/math/SafeCast.sol";
import {Kind, PackedInstructions, Reason} from "../shared/Instruction.sol";
import {Execution, ISettleable} from "../shared/ISettleable.sol";
import {GuardedERC20} from "./GuardedERC20.sol";

/// @title Settled movements
/// @notice Lets the Settlement contract mint, burn and move in batches.
/// @dev There is no inner call and no `try`: the instructions run in one frame, each is refused by a decision made
/// before anything is written, and running out of gas undoes them all. So nothing but the state of the coin can make
/// an instruction fail.
abstract contract Settleable is ISettleable, GuardedERC20 {
    using PackedInstructions for bytes;

    /// @notice May mint, burn and move. Meant for the Settlement contract alone.
    bytes32 public constant SETTLER_ROLE = keccak256("SETTLER_ROLE");

    /// @notice The most instructions of one call: one bit each in the record, beside the bit that says "settled".
    uint256 public constant MAX_INSTRUCTIONS = 255;

    /// @notice There is nothing to execute.
    error NoInstructions();

    /// @notice There are more than `MAX_INSTRUCTIONS` instructions.
    error TooManyInstructions();

    /// @inheritdoc ISettleable
    function execute(bytes calldata instructions)
        external
        onlyRole(SETTLER_ROLE)
        whenNotPaused
        returns (Execution memory execution)
    {
        if (instructions.length == 0) revert NoInstructions();
        uint256 count;
        for (uint256 offset = 0; offset < instructions.length; ++count) {
            if (count == MAX_INSTRUCTIONS) revert TooManyInstructions();
            offset = _executeOne(instructions, offset, count, execution);
        }
        _changeSupply(execution.sums[uint256(Kind.Mint)], execution.sums[uint256(Kind.Burn)]);
    }

    /// @dev Executes an instruction if that can be done now, and notes what became of it.
    /// @param instructions The instructions.
    /// @param offset The position of the first byte of this one.
    /// @param index How many there were before.
    /// @param execution Where to note it.
    /// @return next The position after its last byte.
    function _executeOne(bytes calldata instructions, uint256 offset, uint256 index, Execution memory execution)
        private
        returns (uint256 next)
    {
        Kind kind;
        uint256 amount;
        address wallet;
        Reason reason;
        (kind, amount, wallet, next) = instructions.read(offset);
        if (amount == 0) reason = Reason.InvalidInstruction;
        else if (kind == Kind.Mint) reason = _executeMint(wallet, amount);
        else if (kind == Kind.Burn) reason = _executeBurn(wallet, amount);
        else reason = _executeTransfer(wallet, instructions.recipientBefore(next), amount);
        if (reason != Reason.None) {
            execution.failures = abi.encodePacked(execution.failures, uint8(index), uint8(reason));
            return next;
        }
        // 255 amounts below 2^64 overflow nothing.
        unchecked {
            execution.successBitmap |= 1 << index;
            execution.sums[uint256(kind)] += amount;
        }
    }

    /// @dev Creates coins.
    /// @param to The wallet credited.
    /// @param amount Units of 10^-6 coin, not zero.
    /// @return Why that could not be done.
    function _executeMint(address to, uint256 amount) private returns (Reason) {
        if (to == address(0)) return Reason.InvalidInstruction;
        Wallet storage credited = _at(to);
        uint256 word = credited.word;
        if (word & BARRED != 0) return Reason.BarredRecipient;
        if (word & FROZEN != 0) return Reason.Frozen;
        unchecked {
            credited.word = word + amount;
        }
        emit Transfer(address(0), to, amount);
        return Reason.None;
    }

    /// @dev Destroys coins.
    /// @param from The wallet debited.
    /// @param amount Units of 10^-6 coin, not zero.
    /// @return Why that could not be done.
    function _executeBurn(address from, uint256 amount) private returns (Reason) {
        Wallet storage debited = _at(from);
        uint256 word = debited.word;
        if (word & FROZEN != 0) return Reason.Frozen;
        if (word & LINKED == 0) return Reason.NotLinked;
        if (_balanceIn(word) < amount) return Reason.InsufficientBalance;
        unchecked {
            debited.word = word - amount;
        }
        emit Transfer(from, address(0), amount);
        return Reason.None;
    }

    /// @dev Moves coins.
    /// @param from The wallet debited.
    /// @param to The wallet credited.
    /// @param amount Units of 10^-6 coin, not zero.
    /// @return Why that could not be done.
    function _executeTransfer(address from, address to, uint256 amount) private returns (Reason) {
        if (to == address(0)) return Reason.InvalidInstruction;
        Wallet storage debited = _at(from);
        Wallet storage credited = _at(to);
        uint256 debitedWord = debited.word;
        uint256 creditedWord = credited.word;
        if (creditedWord & BARRED != 0) return Reason.BarredRecipient;
        if ((debitedWord | creditedWord) & FROZEN != 0) return Reason.Frozen;
        if (debitedWord & LINKED == 0) return Reason.NotLinked;
        if (_balanceIn(debitedWord) < amount) return Reason.InsufficientBalance;
        _write(debited, credited, amount);
        emit Transfer(from, to, amount);
        return Reason.None;
    }

    /// @dev Changes the supply by what a call did.
    /// @param minted Units of 10^-6 coin.
    /// @param burned Units of 10^-6 coin.
    function _changeSupply(uint256 minted, uint256 burned) private {
        if (minted != burned) _setSupply(SafeCast.toUint120(_supply() + minted - burned));
    }
}
