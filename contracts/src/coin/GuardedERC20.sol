// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

import {ERC20Upgradeable} from "@openzeppelin/contracts-upgradeable/token/ERC20/ERC20Upgradeable.sol";
import {ContractPermit} from "./ContractPermit.sol";
import {Freezable} from "./Freezable.sol";

/// @title ERC-20 that obeys the stop and the freezes
/// @notice Approvals and permits stay possible while paused or frozen, since they move nothing (and revoking an
/// allowance must stay possible); spending one does not.
abstract contract GuardedERC20 is ContractPermit, Freezable {
    /// @notice The number of decimals of an amount.
    /// @return Always 6.
    function decimals() public pure override returns (uint8) {
        return 6;
    }

    /// @inheritdoc ERC20Upgradeable
    function balanceOf(address wallet) public view override returns (uint256) {
        return _balanceIn(_at(wallet).word);
    }

    /// @inheritdoc ERC20Upgradeable
    function totalSupply() public view override returns (uint256) {
        return _supply();
    }

    /// @notice Moves coins of another wallet under an allowance. A frozen spender is refused too.
    /// @param from The wallet debited.
    /// @param to The wallet credited.
    /// @param value Units of 10^-6 coin.
    /// @return Always true.
    function transferFrom(address from, address to, uint256 value) public override returns (bool) {
        if (isFrozen(_msgSender())) revert FrozenWallet(_msgSender());
        return super.transferFrom(from, to, value);
    }

    /// @dev Every movement by holders passes here: refused while paused, from or to a frozen wallet, and to a contract of
    /// ours. Nothing is created or destroyed here: only settlements do that.
    /// @param from The wallet debited, not the zero address.
    /// @param to The wallet credited, not the zero address.
    /// @param value Units of 10^-6 coin.
    function _update(address from, address to, uint256 value) internal override whenNotPaused {
        if (isFrozen(from)) revert FrozenWallet(from);
        _move(from, to, value);
    }

    /// @dev Moves coins to a wallet that may be credited; the caller has decided that the debit may be.
    /// @param from The wallet debited.
    /// @param to The wallet credited.
    /// @param value Units of 10^-6 coin.
    function _move(address from, address to, uint256 value) internal {
        Wallet storage debited = _at(from);
        Wallet storage credited = _at(to);
        uint256 creditedWord = credited.word;
        if (creditedWord & BARRED != 0) revert ERC20InvalidReceiver(to);
        if (creditedWord & FROZEN != 0) revert FrozenWallet(to);
        uint256 balance = _balanceIn(debited.word);
        if (balance < value) revert ERC20InsufficientBalance(from, balance, value);
        _write(debited, credited, value);
        emit Transfer(from, to, value);
    }
}
