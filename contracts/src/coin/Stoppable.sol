// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

import {AccessControlUpgradeable} from "@openzeppelin/contracts-upgradeable/access/AccessControlUpgradeable.sol";
import {PausableUpgradeable} from "@openzeppelin/contracts-upgradeable/utils/PausableUpgradeable.sol";

/// @title Emergency stop
/// @notice One key stops every movement of the coin, and lets it go on.
abstract contract Stoppable is AccessControlUpgradeable, PausableUpgradeable {
    /// @notice May pause and unpause the coin.
    bytes32 public constant PAUSER_ROLE = keccak256("PAUSER_ROLE");

    /// @notice Stops every movement. Does nothing when paused already.
    function pause() external onlyRole(PAUSER_ROLE) {
        if (!paused()) _pause();
    }

    /// @notice Ends the stop. Does nothing when not paused.
    function unpause() external onlyRole(PAUSER_ROLE) {
        if (paused()) _unpause();
    }
}
