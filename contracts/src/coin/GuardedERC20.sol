// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

import {ERC20PermitUpgradeable} from
    "@openzeppelin/contracts-upgradeable/token/ERC20/extensions/ERC20PermitUpgradeable.sol";
import {ERC20Upgradeable} from "@openzeppelin/contracts-upgradeable/token/ERC20/ERC20Upgradeable.sol";
import {Freezable} from "./Freezable.sol";
import {Stoppable} from "./Stoppable.sol";

/// @title ERC-20 with permit that obeys the stop and the freezes
/// @notice Approvals and permits stay possible while paused or frozen, since they move nothing (and revoking an
/// allowance must stay possible); spending one does not.
abstract contract GuardedERC20 is ERC20PermitUpgradeable, Freezable, Stoppable {
    /// @notice The number of decimals of an amount.
    /// @return Always 6.
    function decimals() public pure override returns (uint8) {
        return 6;
    }

    /// @notice Moves coins of another wallet under an allowance. A frozen spender is refused too.
    /// @param from The wallet debited.
    /// @param to The wallet credited.
    /// @param value Units of 10^-6 coin.
    /// @return Always true.
    function transferFrom(address from, address to, uint256 value) public override returns (bool) {
        _requireNotFrozen(_msgSender());
        return super.transferFrom(from, to, value);
    }

    /// @dev Every ordinary movement passes here: refused while paused, and to or from a frozen wallet.
    /// @param from The wallet debited; zero for a mint.
    /// @param to The wallet credited; zero for a burn.
    /// @param value Units of 10^-6 coin.
    function _update(address from, address to, uint256 value) internal virtual override whenNotPaused {
        _requireNotFrozen(from);
        _requireNotFrozen(to);
        super._update(from, to, value);
    }

    /// @dev A movement whose caller has already checked the stop and the freezes, as a settlement does once per batch
    /// and with a reason in place of a revert.
    /// @param from The wallet debited; zero for a mint.
    /// @param to The wallet credited; zero for a burn.
    /// @param value Units of 10^-6 coin.
    function _updateChecked(address from, address to, uint256 value) internal {
        ERC20Upgradeable._update(from, to, value);
    }
}
