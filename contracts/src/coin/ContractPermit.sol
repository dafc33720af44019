// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

import {ECDSA} from "@openzeppelin/contracts/utils/cryptography/ECDSA.sol";
import {ERC20PermitUpgradeable} from
    "@openzeppelin/contracts-upgradeable/token/ERC20/extensions/ERC20PermitUpgradeable.sol";
import {Signatures} from "../shared/Signatures.sol";

/// @title Permits of contract wallets
/// @notice ERC-2612 permits, which a contract wallet can give too (ERC-1271).
abstract contract ContractPermit is ERC20PermitUpgradeable {
    /// @notice What the holder signs (EIP-712).
    bytes32 public constant PERMIT_TYPEHASH =
        keccak256("Permit(address owner,address spender,uint256 value,uint256 nonce,uint256 deadline)");

    /// @notice Sets an allowance that its owner signed.
    /// @param owner The wallet to be spent from.
    /// @param spender Who may spend.
    /// @param value The allowance, in units of 10^-6 coin.
    /// @param deadline The last second, since 1970, at which this works.
    /// @param v Of the signature.
    /// @param r Of the signature.
    /// @param s Of the signature.
    function permit(address owner, address spender, uint256 value, uint256 deadline, uint8 v, bytes32 r, bytes32 s)
        public
        override
    {
        permit(owner, spender, value, deadline, abi.encodePacked(r, s, v));
    }

    /// @notice Sets an allowance that its owner, a key or a contract wallet, signed.
    /// @param owner The wallet to be spent from.
    /// @param spender Who may spend.
    /// @param value The allowance, in units of 10^-6 coin.
    /// @param deadline The last second, since 1970, at which this works.
    /// @param signature r, s and v of a key, or whatever the contract wallet accepts.
    function permit(address owner, address spender, uint256 value, uint256 deadline, bytes memory signature) public {
        if (block.timestamp > deadline) revert ERC2612ExpiredSignature(deadline);
        bytes32 structHash =
            keccak256(abi.encode(PERMIT_TYPEHASH, owner, spender, value, _useNonce(owner), deadline));
        bytes32 hash = _hashTypedDataV4(structHash);
        if (!Signatures.isValid(owner, hash, signature)) {
            (address signer,,) = ECDSA.tryRecover(hash, signature);
            revert ERC2612InvalidSigner(signer, owner);
        }
        _approve(owner, spender, value);
    }
}
