// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

/// @title A contract that calls another while it is being created, when it has no code yet
contract CallingAtBirth {
    /// @notice Makes the call; reverts with what it reverts with.
    /// @param target The contract called.
    /// @param data The call.
    constructor(address target, bytes memory data) {
        (bool succeeded, bytes memory answer) = target.call(data);
        if (!succeeded) {
            assembly {
                revert(add(answer, 0x20), mload(answer))
            }
        }
    }
}
