// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

import {ECDSA} from "@openzeppelin/contracts/utils/cryptography/ECDSA.sol";
import {SignatureChecker} from "@openzeppelin/contracts/utils/cryptography/SignatureChecker.sol";

/// @title Signatures of keys and of contract wallets
library Signatures {
    /// @notice Whether a signature is the signer's: by its key, or else by what its code says (ERC-1271).
    /// @dev The key comes first, since an account that runs code under EIP-7702 still signs with its key.
    /// @param signer The account.
    /// @param hash What was signed.
    /// @param signature 65 bytes r, s, v of a key, or whatever the account's code accepts.
    /// @return Whether it is valid.
    function isValid(address signer, bytes32 hash, bytes memory signature) internal view returns (bool) {
        (address recovered, ECDSA.RecoverError failure,) = ECDSA.tryRecover(hash, signature);
        if (failure == ECDSA.RecoverError.NoError && recovered == signer) return true;
        return SignatureChecker.isValidERC1271SignatureNow(signer, hash, signature);
    }
}
