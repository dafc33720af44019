// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

import {Settlement} from "../src/Settlement.sol";
import {CallingAtBirth} from "./support/Caller.sol";
import {FixtureTest} from "./support/Fixture.sol";
import {pack} from "./support/Instructions.sol";

/// @title A batch's instructions are its transaction's input: only a key that runs no code settles, and directly
contract CallersTest is FixtureTest {
    function _hasCode(address caller) private pure returns (bytes memory) {
        return abi.encodeWithSelector(Settlement.CallerHasCode.selector, caller);
    }

    function _call() private view returns (bytes memory) {
        return _nextCall(pack(_batch(_mint(alice, 1))));
    }

    function _appoint(address newSigner) private {
        bytes32 role = settlement.SIGNER_ROLE();
        vm.prank(admin);
        settlement.grantRole(role, newSigner);
    }

    function test_a_signer_in_between_is_refused() public {
        bytes memory call = _call();
        vm.prank(signer, otherSigner);
        (bool succeeded, bytes memory answer) = address(settlement).call(call);
        vm.assertFalse(succeeded, "refused");
        vm.assertEq(answer, _hasCode(signer), "for not being the transaction's sender");
    }

    function test_a_contract_under_construction_is_refused() public {
        address unborn = vm.computeCreateAddress(address(this), vm.getNonce(address(this)));
        _appoint(unborn);
        bytes memory call = _call();
        vm.expectRevert(_hasCode(unborn));
        new CallingAtBirth(address(settlement), call);
    }

    function test_a_signer_that_runs_code_is_refused() public {
        bytes memory call = _call();
        vm.etch(signer, hex"ef0100000000000000000000000000000000000000dead");
        vm.prank(signer, signer);
        (bool succeeded, bytes memory answer) = address(settlement).call(call);
        vm.assertFalse(succeeded, "refused");
        vm.assertEq(answer, _hasCode(signer), "for its code");
        vm.etch(signer, "");
        vm.prank(signer, signer);
        (succeeded,) = address(settlement).call(call);
        vm.assertTrue(succeeded, "settles without it");
    }
}
