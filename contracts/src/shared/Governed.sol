// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

import {UUPSUpgradeable} from "@openzeppelin/contracts/proxy/utils/UUPSUpgradeable.sol";
import {IAccessControl} from "@openzeppelin/contracts/access/IAccessControl.sol";
import {AccessControlUpgradeable} from "@openzeppelin/contracts-upgradeable/access/AccessControlUpgradeable.sol";
import {AccessControlDefaultAdminRulesUpgradeable} from
    "@openzeppelin/contracts-upgradeable/access/extensions/AccessControlDefaultAdminRulesUpgradeable.sol";
import {AccessControlEnumerableUpgradeable} from
    "@openzeppelin/contracts-upgradeable/access/extensions/AccessControlEnumerableUpgradeable.sol";
import {PausableUpgradeable} from "@openzeppelin/contracts-upgradeable/utils/PausableUpgradeable.sol";

/// @title Who holds which power
/// @notice One admin, meant to be a timelock, handed over in two steps, gives and takes roles and upgrades. A pauser
/// stops at once and takes any role away at once but the admin's; it starts nothing. An unpauser ends the stop. The
/// holders of every role can be listed.
abstract contract Governed is
    AccessControlDefaultAdminRulesUpgradeable,
    AccessControlEnumerableUpgradeable,
    PausableUpgradeable,
    UUPSUpgradeable
{
    /// @notice May stop the contract, and take roles away.
    bytes32 public constant PAUSER_ROLE = keccak256("PAUSER_ROLE");

    /// @notice May end the stop.
    bytes32 public constant UNPAUSER_ROLE = keccak256("UNPAUSER_ROLE");

    /// @notice An initial role holder, or another address that is needed, is the zero address.
    error ZeroAddress();

    /// @dev The implementation behind a proxy can never be initialised itself.
    /// @custom:oz-upgrades-unsafe-allow constructor
    constructor() {
        _disableInitializers();
    }

    /// @dev Appoints those who every contract has. The handover of the admin role needs no delay of its own: the admin is
    /// a timelock, which has one.
    /// @param admin Gives and takes roles, and upgrades.
    /// @param pausers Stop. More than one, so that a stolen one can be dismissed by another.
    /// @param unpausers End the stop.
    function __Governed_init(address admin, address[] calldata pausers, address[] calldata unpausers)
        internal
        onlyInitializing
    {
        __AccessControlDefaultAdminRules_init(0, admin);
        _appointAll(PAUSER_ROLE, pausers);
        _appointAll(UNPAUSER_ROLE, unpausers);
    }

    /// @notice Stops the contract. Does nothing when stopped already.
    function pause() external onlyRole(PAUSER_ROLE) {
        if (!paused()) _pause();
    }

    /// @notice Ends the stop. Does nothing when not stopped.
    function unpause() external onlyRole(UNPAUSER_ROLE) {
        if (paused()) _unpause();
    }

    /// @notice Takes a role away. The admin may, and a pauser; nobody takes the admin's.
    /// @param role The role; not the admin role, which is handed over in two steps alone.
    /// @param account Whom it is taken from. Does nothing when it has not got it.
    function revokeRole(bytes32 role, address account)
        public
        override(AccessControlDefaultAdminRulesUpgradeable, AccessControlUpgradeable, IAccessControl)
    {
        if (role != DEFAULT_ADMIN_ROLE && hasRole(PAUSER_ROLE, _msgSender())) _revokeRole(role, account);
        else super.revokeRole(role, account);
    }

    /// @inheritdoc AccessControlDefaultAdminRulesUpgradeable
    function grantRole(bytes32 role, address account)
        public
        override(AccessControlDefaultAdminRulesUpgradeable, AccessControlUpgradeable, IAccessControl)
    {
        super.grantRole(role, account);
    }

    /// @inheritdoc AccessControlDefaultAdminRulesUpgradeable
    function renounceRole(bytes32 role, address account)
        public
        override(AccessControlDefaultAdminRulesUpgradeable, AccessControlUpgradeable, IAccessControl)
    {
        super.renounceRole(role, account);
    }

    /// @inheritdoc AccessControlDefaultAdminRulesUpgradeable
    function supportsInterface(bytes4 interfaceId)
        public
        view
        override(AccessControlDefaultAdminRulesUpgradeable, AccessControlEnumerableUpgradeable)
        returns (bool)
    {
        return super.supportsInterface(interfaceId);
    }

    /// @dev Gives a role to its first holder.
    /// @param role The role.
    /// @param holder The holder, not the zero address.
    function _appoint(bytes32 role, address holder) internal {
        if (holder == address(0)) revert ZeroAddress();
        _grantRole(role, holder);
    }

    /// @dev Gives a role to its first holders.
    /// @param role The role.
    /// @param holders The holders, none of them the zero address.
    function _appointAll(bytes32 role, address[] calldata holders) internal {
        for (uint256 i = 0; i < holders.length; ++i) _appoint(role, holders[i]);
    }

    /// @inheritdoc AccessControlDefaultAdminRulesUpgradeable
    function _grantRole(bytes32 role, address account)
        internal
        virtual
        override(AccessControlDefaultAdminRulesUpgradeable, AccessControlEnumerableUpgradeable)
        returns (bool)
    {
        return super._grantRole(role, account);
    }

    /// @inheritdoc AccessControlDefaultAdminRulesUpgradeable
    function _revokeRole(bytes32 role, address account)
        internal
        override(AccessControlDefaultAdminRulesUpgradeable, AccessControlEnumerableUpgradeable)
        returns (bool)
    {
        return super._revokeRole(role, account);
    }

    /// @inheritdoc AccessControlDefaultAdminRulesUpgradeable
    function _setRoleAdmin(bytes32 role, bytes32 adminRole)
        internal
        override(AccessControlDefaultAdminRulesUpgradeable, AccessControlUpgradeable)
    {
        super._setRoleAdmin(role, adminRole);
    }

    /// @dev Only the admin upgrades.
    /// @param newImplementation The implementation to run from now on.
    function _authorizeUpgrade(address newImplementation) internal override onlyRole(DEFAULT_ADMIN_ROLE) {}
}
