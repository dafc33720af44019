// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

import {Coin} from "../src/Coin.sol";
import {Linkable} from "../src/coin/Linkable.sol";
import {Wallets} from "../src/coin/Wallets.sol";
import {Reason} from "../src/shared/Instruction.sol";
import {ContractWallet} from "./support/ContractWallet.sol";
import {FixtureTest} from "./support/Fixture.sol";

/// @title A wallet is linked by its holder's consent, to one account, once, until a deadline
contract LinkingTest is FixtureTest {
    uint256 private constant DEADLINE = NOW + 1 hours;

    function _linkWith(address wallet, bytes32 account, uint256 deadline, bytes memory consent) private {
        vm.prank(linker);
        coin.linkWallet(wallet, account, deadline, consent);
    }

    function _unlink(address by, address wallet, bytes32 account) private {
        vm.prank(by);
        coin.unlinkWallet(wallet, account);
    }

    function _expectRefused(address wallet, bytes32 account, uint256 deadline, bytes memory consent) private {
        vm.expectRevert(abi.encodeWithSelector(Linkable.InvalidConsent.selector, wallet, account));
        _linkWith(wallet, account, deadline, consent);
        vm.assertFalse(coin.isLinked(wallet), "not linked");
    }

    function test_links_with_consent_and_raises_the_nonce() public {
        vm.assertTrue(coin.consentRequired(), "consent is required");
        bytes memory consent = _consent("alice", ACCOUNT, DEADLINE);
        vm.expectEmit(address(coin));
        emit Linkable.WalletLinked(alice, ACCOUNT);
        _linkWith(alice, ACCOUNT, DEADLINE, consent);
        vm.assertTrue(coin.isLinked(alice) && coin.isLinkedTo(alice, ACCOUNT), "linked");
        vm.assertFalse(coin.isLinkedTo(alice, OTHER_ACCOUNT), "to that account alone");
        vm.assertFalse(coin.isLinked(bob) || coin.isLinkedTo(bob, ACCOUNT), "that wallet alone");
        vm.assertEq(coin.linkNonce(alice), 1, "nonce");
        vm.assertEq(coin.linkNonce(bob), 0, "nonce of another");
        vm.assertFalse(coin.isFrozen(alice), "no other flag");
    }

    function test_the_linker_alone_links_nobody() public {
        _expectRefused(alice, ACCOUNT, DEADLINE, "");
        _expectRefused(alice, ACCOUNT, DEADLINE, _signLink(_keyOf("linker"), alice, ACCOUNT, 0, DEADLINE));
    }

    function test_consent_binds_wallet_account_nonce_deadline_and_coin() public {
        bytes memory consent = _consent("alice", ACCOUNT, DEADLINE);
        _expectRefused(bob, ACCOUNT, DEADLINE, consent);
        _expectRefused(alice, OTHER_ACCOUNT, DEADLINE, consent);
        _expectRefused(alice, ACCOUNT, DEADLINE + 1, consent);
        _expectRefused(alice, ACCOUNT, DEADLINE, _signLink(_keyOf("alice"), alice, ACCOUNT, 1, DEADLINE));
        _deploy();
        _expectRefused(alice, ACCOUNT, DEADLINE, consent);
    }

    function test_consent_is_good_until_its_deadline() public {
        bytes memory consent = _consent("alice", ACCOUNT, DEADLINE);
        vm.warp(DEADLINE + 1);
        vm.expectRevert(abi.encodeWithSelector(Linkable.ConsentExpired.selector, DEADLINE));
        _linkWith(alice, ACCOUNT, DEADLINE, consent);
        vm.warp(DEADLINE);
        _linkWith(alice, ACCOUNT, DEADLINE, consent);
        vm.assertTrue(coin.isLinked(alice), "linked in its last second");
    }

    function test_a_second_account_needs_a_consent_of_its_own() public {
        bytes memory first = _consent("alice", ACCOUNT, DEADLINE);
        bytes memory second = _consent("alice", OTHER_ACCOUNT, DEADLINE);
        _linkWith(alice, ACCOUNT, DEADLINE, first);
        vm.expectRevert(abi.encodeWithSelector(Linkable.InvalidConsent.selector, alice, OTHER_ACCOUNT));
        _linkWith(alice, OTHER_ACCOUNT, DEADLINE, first);
        vm.expectRevert(abi.encodeWithSelector(Linkable.InvalidConsent.selector, alice, OTHER_ACCOUNT));
        _linkWith(alice, OTHER_ACCOUNT, DEADLINE, second);
        _linkWith(alice, OTHER_ACCOUNT, DEADLINE, _consent("alice", OTHER_ACCOUNT, DEADLINE));
        vm.assertTrue(coin.isLinkedTo(alice, ACCOUNT) && coin.isLinkedTo(alice, OTHER_ACCOUNT), "both");
    }

    function test_stays_linked_while_any_account_is_left() public {
        _link("alice", ACCOUNT);
        _link("alice", OTHER_ACCOUNT);
        vm.expectEmit(address(coin));
        emit Linkable.WalletUnlinked(alice, ACCOUNT);
        _unlink(linker, alice, ACCOUNT);
        vm.assertTrue(coin.isLinked(alice) && coin.isLinkedTo(alice, OTHER_ACCOUNT), "one is left");
        vm.assertFalse(coin.isLinkedTo(alice, ACCOUNT), "one is gone");
        _unlink(linker, alice, OTHER_ACCOUNT);
        vm.assertFalse(coin.isLinked(alice) || coin.isLinkedTo(alice, OTHER_ACCOUNT), "none is left");
        vm.assertEq(coin.linkNonce(alice), 4, "every change raised the nonce");
    }

    function test_an_old_consent_does_not_link_again() public {
        bytes memory consent = _consent("alice", ACCOUNT, DEADLINE);
        _linkWith(alice, ACCOUNT, DEADLINE, consent);
        _unlink(linker, alice, ACCOUNT);
        _expectRefused(alice, ACCOUNT, DEADLINE, consent);
        _linkWith(alice, ACCOUNT, DEADLINE, _consent("alice", ACCOUNT, DEADLINE));
        vm.assertTrue(coin.isLinked(alice), "a new one does");
    }

    function test_linking_and_unlinking_are_idempotent() public {
        _link("alice", ACCOUNT);
        vm.recordLogs();
        _linkWith(alice, ACCOUNT, 0, "");
        vm.assertEq(vm.getRecordedLogs().length, 0, "linked already");
        vm.assertEq(coin.linkNonce(alice), 1, "the nonce stays");
        _unlink(linker, alice, ACCOUNT);
        vm.recordLogs();
        _unlink(linker, alice, ACCOUNT);
        vm.assertEq(vm.getRecordedLogs().length, 0, "unlinked already");
        vm.assertEq(coin.linkNonce(alice), 2, "the nonce stays");
        vm.assertFalse(coin.isLinked(alice), "unlinked");
    }

    function test_the_holder_unlinks_one_account() public {
        _link("alice", ACCOUNT);
        _link("alice", OTHER_ACCOUNT);
        _unlink(alice, alice, ACCOUNT);
        vm.assertFalse(coin.isLinkedTo(alice, ACCOUNT), "that one");
        vm.assertTrue(coin.isLinkedTo(alice, OTHER_ACCOUNT), "the other stays");
        vm.expectRevert(_refused(bob, coin.LINKER_ROLE()));
        _unlink(bob, alice, OTHER_ACCOUNT);
    }

    function test_the_holder_unlinks_everything_at_once() public {
        _link("alice", ACCOUNT);
        _link("alice", OTHER_ACCOUNT);
        _link("bob", ACCOUNT);
        vm.expectEmit(address(coin));
        emit Linkable.WalletUnlinkedFromAll(alice);
        vm.prank(alice);
        coin.unlinkSelf();
        vm.assertFalse(coin.isLinked(alice), "the wallet");
        vm.assertFalse(coin.isLinkedTo(alice, ACCOUNT) || coin.isLinkedTo(alice, OTHER_ACCOUNT), "from every account");
        vm.assertTrue(coin.isLinked(bob) && coin.isLinkedTo(bob, ACCOUNT), "nobody else's");
        _settleFails(_burn(alice, 1), Reason.NotLinked);

        _unlink(linker, alice, ACCOUNT);
        _link("alice", ACCOUNT);
        vm.assertTrue(coin.isLinkedTo(alice, ACCOUNT), "and consents anew");
        vm.assertFalse(coin.isLinkedTo(alice, OTHER_ACCOUNT), "to that account alone");
        _unlink(linker, alice, ACCOUNT);
        vm.assertFalse(coin.isLinked(alice), "the count began anew");
    }

    function test_unlinking_oneself_voids_a_consent_not_used_yet() public {
        bytes memory consent = _consent("alice", ACCOUNT, DEADLINE);
        vm.prank(alice);
        coin.unlinkSelf();
        _expectRefused(alice, ACCOUNT, DEADLINE, consent);
    }

    function test_a_contract_wallet_consents_and_unlinks() public {
        ContractWallet wallet = new ContractWallet();
        wallet.accept(_linkHash(address(wallet), ACCOUNT, 0, DEADLINE), "any form");
        _expectRefused(address(wallet), OTHER_ACCOUNT, DEADLINE, "any form");
        _linkWith(address(wallet), ACCOUNT, DEADLINE, "any form");
        vm.assertTrue(coin.isLinked(address(wallet)), "linked");
        wallet.perform(address(coin), abi.encodeCall(coin.unlinkSelf, ()));
        vm.assertFalse(coin.isLinked(address(wallet)), "unlinked");
    }

    function test_a_key_that_runs_code_consents_by_its_key() public {
        vm.etch(alice, hex"ef0100000000000000000000000000000000000000dead");
        _linkWith(alice, ACCOUNT, DEADLINE, _consent("alice", ACCOUNT, DEADLINE));
        vm.assertTrue(coin.isLinked(alice), "linked");
    }

    function test_where_consent_is_waived_the_linker_links_alone() public {
        Coin.Beginning memory beginning = _coinBeginning();
        beginning.consentWaived = true;
        _deployWith(beginning);
        vm.assertFalse(coin.consentRequired(), "and everybody can see that");
        bytes memory foreign = _signLink(_keyOf("stranger"), alice, ACCOUNT, 0, DEADLINE);
        _expectRefused(alice, ACCOUNT, DEADLINE, foreign);
        _linkWith(alice, ACCOUNT, 0, "");
        _linkWith(bob, ACCOUNT, DEADLINE, _consent("bob", ACCOUNT, DEADLINE));
        vm.assertTrue(coin.isLinkedTo(alice, ACCOUNT) && coin.isLinkedTo(bob, ACCOUNT), "linked");
    }

    function test_what_is_no_wallet_is_not_linked() public {
        Coin.Beginning memory beginning = _coinBeginning();
        beginning.consentWaived = true;
        _deployWith(beginning);
        address[3] memory none = [address(0), address(coin), address(settlement)];
        for (uint256 i = 0; i < 3; ++i) {
            vm.expectRevert(abi.encodeWithSelector(Wallets.NotAWallet.selector, none[i]));
            _linkWith(none[i], ACCOUNT, 0, "");
        }
    }

    function test_a_wallet_that_became_a_settler_can_still_be_unlinked() public {
        _link("alice", ACCOUNT);
        bytes32 role = coin.SETTLER_ROLE();
        vm.prank(admin);
        coin.grantRole(role, alice);
        _unlink(linker, alice, ACCOUNT);
        vm.assertFalse(coin.isLinked(alice), "unlinked");
    }
}
