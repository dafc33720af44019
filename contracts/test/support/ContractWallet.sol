// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

import {IERC1271} from "@openzeppelin/contracts/interfaces/IERC1271.sol";

/// @title A wallet that is a contract
/// @notice Accepts the one signature that it was told to. Its owner makes it call others.
contract ContractWallet is IERC1271 {
    bytes32 private acceptedHash;
    bytes32 private acceptedSignature;

    /// @notice Accepts a signature of a hash from now on.
    /// @param hash The hash.
    /// @param signature The signature.
    function accept(bytes32 hash, bytes calldata signature) external {
        (acceptedHash, acceptedSignature) = (hash, keccak256(signature));
    }

    /// @inheritdoc IERC1271
    function isValidSignature(bytes32 hash, bytes calldata signature) external view returns (bytes4) {
        bool accepted = hash == acceptedHash && keccak256(signature) == acceptedSignature;
        return accepted ? IERC1271.isValidSignature.selector : bytes4(0);
    }

    /// @notice Calls another contract.
    /// @param target The contract.
    /// @param data The call.
    function perform(address target, bytes calldata data) external {
        (bool succeeded,) = target.call(data);
        require(succeeded, "the call reverted");
    }
}
