// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

/// @title The cheat codes of forge that the tests use
/// @notice Signatures as in https://getfoundry.sh/reference/cheatcodes/overview.
interface Vm {
    struct Log {
        bytes32[] topics;
        bytes data;
        address emitter;
    }

    function prank(address sender) external;
    function prank(address sender, address origin) external;
    function startPrank(address sender) external;
    function startPrank(address sender, address origin) external;
    function stopPrank() external;
    function warp(uint256 timestamp) external;
    function roll(uint256 blockNumber) external;
    function etch(address target, bytes calldata code) external;
    function deployCode(string calldata artifact) external returns (address);
    function deployCode(string calldata artifact, bytes calldata constructorArguments) external returns (address);
    function computeCreateAddress(address deployer, uint256 nonce) external pure returns (address);
    function getNonce(address account) external view returns (uint64);
    function getCode(string calldata artifact) external view returns (bytes memory);
    function envOr(string calldata name, string calldata fallback_) external view returns (string memory);
    function assume(bool condition) external pure;
    function addr(uint256 privateKey) external pure returns (address);
    function sign(uint256 privateKey, bytes32 digest) external pure returns (uint8 v, bytes32 r, bytes32 s);
    function load(address target, bytes32 slot) external view returns (bytes32);
    function store(address target, bytes32 slot, bytes32 value) external;
    function pauseGasMetering() external;
    function resumeGasMetering() external;
    function recordLogs() external;
    function getRecordedLogs() external returns (Log[] memory logs);
    function record() external;
    function accesses(address target) external returns (bytes32[] memory reads, bytes32[] memory writes);
    function expectRevert(bytes calldata data) external;
    function expectRevert() external;
    function expectEmit(address emitter) external;
    function assertTrue(bool condition, string calldata what) external pure;
    function assertFalse(bool condition, string calldata what) external pure;
    function assertEq(uint256 left, uint256 right, string calldata what) external pure;
    function assertEq(address left, address right, string calldata what) external pure;
    function assertEq(bytes32 left, bytes32 right, string calldata what) external pure;
    function assertEq(bool left, bool right, string calldata what) external pure;
    function assertEq(string calldata left, string calldata right, string calldata what) external pure;
    function assertEq(bytes calldata left, bytes calldata right, string calldata what) external pure;
    function assertLe(uint256 left, uint256 right, string calldata what) external pure;
    function assertGe(uint256 left, uint256 right, string calldata what) external pure;
}
