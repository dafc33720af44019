// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

import {Signatures} from "../shared/Signatures.sol";
import {GuardedERC20} from "./GuardedERC20.sol";

/// @title Linked wallets
/// @notice Settlements may debit a wallet only while it is linked to an account at least: a customer of an integration.
/// It is linked by the linker with the consent of its holder, which is good for one account, once, until a deadline. The
/// linker unlinks it, and so does the holder.
abstract contract Linkable is GuardedERC20 {
    /// @notice The links of a wallet.
    /// @param nonce What the next consent has to name; raised by every change.
    /// @param floor The nonce at which the holder unlinked everything; older links are void.
    /// @param count How many accounts it is linked to.
    /// @param linkedAt For each account, the nonce after it was linked; zero when it was unlinked.
    struct Links {
        uint64 nonce;
        uint64 floor;
        uint64 count;
        mapping(bytes32 account => uint256) linkedAt;
    }

    /// @custom:storage-location erc7201:stablecoin.storage.Linkable
    struct LinkableStorage {
        mapping(address wallet => Links) _links;
        bool _consentWaived;
    }

    /// @dev keccak256(abi.encode(uint256(keccak256("stablecoin.storage.Linkable")) - 1)) & ~bytes32(uint256(0xff))
    bytes32 private constant LINKABLE_STORAGE = 0x30b3daee6f625f119990d502be224338b07ac9115aeaebf24e866443b29e7200;

    /// @notice May link, with the holder's consent, and unlink wallets.
    bytes32 public constant LINKER_ROLE = keccak256("LINKER_ROLE");

    /// @notice What the holder signs (EIP-712, in the domain of permits).
    bytes32 public constant LINK_TYPEHASH =
        keccak256("Link(address wallet,bytes32 account,uint256 nonce,uint256 deadline)");

    /// @notice A wallet can be debited for an account from now on.
    /// @param wallet The wallet.
    /// @param account The account.
    event WalletLinked(address indexed wallet, bytes32 indexed account);

    /// @notice A wallet can no longer be debited for an account.
    /// @param wallet The wallet.
    /// @param account The account.
    event WalletUnlinked(address indexed wallet, bytes32 indexed account);

    /// @notice The holder withdrew everything: links to all accounts, and consents not used yet.
    /// @param wallet The wallet.
    event WalletUnlinkedFromAll(address indexed wallet);

    /// @notice The consent was good until its deadline.
    /// @param deadline Seconds since 1970.
    error ConsentExpired(uint256 deadline);

    /// @notice The signature is not the holder's, or not over this wallet, account, nonce and deadline.
    /// @param wallet The wallet.
    /// @param account The account.
    error InvalidConsent(address wallet, bytes32 account);

    /// @notice Lets settlements debit a wallet for an account. Does nothing when it is linked to it already.
    /// @param wallet The wallet.
    /// @param account The account.
    /// @param deadline The last second, since 1970, at which the consent works.
    /// @param consent The holder's signature of `Link(wallet, account, linkNonce(wallet), deadline)`. May be empty only
    /// where `consentRequired()` is false.
    function linkWallet(address wallet, bytes32 account, uint256 deadline, bytes calldata consent)
        external
        onlyRole(LINKER_ROLE)
    {
        if (isLinkedTo(wallet, account)) return;
        LinkableStorage storage $ = _linkableStorage();
        Links storage links = $._links[wallet];
        if (consent.length != 0 || !$._consentWaived) _requireConsent(wallet, account, links.nonce, deadline, consent);
        links.linkedAt[account] = ++links.nonce;
        if (++links.count == 1) _setFlag(wallet, LINKED, true);
        emit WalletLinked(wallet, account);
    }

    /// @notice Stops settlements from debiting a wallet for an account. Does nothing when it is not linked to it. The
    /// linker may, and the wallet itself.
    /// @param wallet The wallet.
    /// @param account The account.
    function unlinkWallet(address wallet, bytes32 account) external {
        if (_msgSender() != wallet) _checkRole(LINKER_ROLE);
        if (!isLinkedTo(wallet, account)) return;
        Links storage links = _linkableStorage()._links[wallet];
        links.linkedAt[account] = 0;
        ++links.nonce;
        if (--links.count == 0) _setFlag(wallet, LINKED, false);
        emit WalletUnlinked(wallet, account);
    }

    /// @notice Stops settlements from debiting the caller's wallet for whatever account, and voids every consent that was
    /// given and not used yet.
    function unlinkSelf() external {
        address wallet = _msgSender();
        Links storage links = _linkableStorage()._links[wallet];
        links.floor = ++links.nonce;
        links.count = 0;
        _setFlag(wallet, LINKED, false);
        emit WalletUnlinkedFromAll(wallet);
    }

    /// @notice Whether settlements may debit a wallet: whether it is linked to any account.
    /// @param wallet The wallet.
    /// @return Whether it is linked.
    function isLinked(address wallet) external view returns (bool) {
        return _at(wallet).word & LINKED != 0;
    }

    /// @notice Whether a wallet is linked to an account.
    /// @param wallet The wallet.
    /// @param account The account.
    /// @return Whether it is.
    function isLinkedTo(address wallet, bytes32 account) public view returns (bool) {
        Links storage links = _linkableStorage()._links[wallet];
        return links.linkedAt[account] > links.floor;
    }

    /// @notice The nonce that the next consent of a wallet has to name.
    /// @param wallet The wallet.
    /// @return The nonce.
    function linkNonce(address wallet) external view returns (uint256) {
        return _linkableStorage()._links[wallet].nonce;
    }

    /// @notice Whether a wallet is linked only with its holder's consent. Decided at deployment, for good.
    /// @return Whether it is so.
    function consentRequired() external view returns (bool) {
        return !_linkableStorage()._consentWaived;
    }

    /// @dev Lets the linker link alone; called at deployment or never.
    function _waiveConsent() internal onlyInitializing {
        _linkableStorage()._consentWaived = true;
    }

    /// @dev Reverts unless the holder consents to the link.
    /// @param wallet The wallet.
    /// @param account The account.
    /// @param nonce The wallet's nonce.
    /// @param deadline The last second at which the consent works.
    /// @param consent The holder's signature.
    function _requireConsent(address wallet, bytes32 account, uint256 nonce, uint256 deadline, bytes calldata consent)
        private
        view
    {
        if (block.timestamp > deadline) revert ConsentExpired(deadline);
        bytes32 structHash = keccak256(abi.encode(LINK_TYPEHASH, wallet, account, nonce, deadline));
        if (!Signatures.isValid(wallet, _hashTypedDataV4(structHash), consent)) revert InvalidConsent(wallet, account);
    }

    /// @dev The namespaced storage (ERC-7201) of this contract.
    /// @return $ A pointer to it.
    function _linkableStorage() private pure returns (LinkableStorage storage $) {
        assembly {
            $.slot := LINKABLE_STORAGE
        }
    }
}
