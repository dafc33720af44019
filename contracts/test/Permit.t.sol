// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

import {ERC20PermitUpgradeable} from
    "@openzeppelin/contracts-upgradeable/token/ERC20/extensions/ERC20PermitUpgradeable.sol";
import {FixtureTest} from "./support/Fixture.sol";
import {ContractWallet} from "./support/ContractWallet.sol";

/// @title Allowances by signature: of keys, of contract wallets, of keys that run code
contract PermitTest is FixtureTest {
    bytes32 private constant PERMIT_TYPEHASH =
        keccak256("Permit(address owner,address spender,uint256 value,uint256 nonce,uint256 deadline)");

    function _hash(address owner, uint256 value, uint256 deadline) private view returns (bytes32) {
        bytes32 structHash =
            keccak256(abi.encode(PERMIT_TYPEHASH, owner, bob, value, coin.nonces(owner), deadline));
        return keccak256(abi.encodePacked(hex"1901", coin.DOMAIN_SEPARATOR(), structHash));
    }

    function _signed(string memory by, address owner, uint256 value, uint256 deadline)
        private
        view
        returns (bytes memory)
    {
        (uint8 v, bytes32 r, bytes32 s) = vm.sign(_keyOf(by), _hash(owner, value, deadline));
        return abi.encodePacked(r, s, v);
    }

    function test_lets_the_spender_spend_once() public {
        _give(alice, 100e6);
        (uint8 v, bytes32 r, bytes32 s) = vm.sign(_keyOf("alice"), _hash(alice, 40e6, NOW));
        vm.prank(stranger);
        coin.permit(alice, bob, 40e6, NOW, v, r, s);
        vm.assertEq(coin.allowance(alice, bob), 40e6, "allowed");
        vm.assertEq(coin.nonces(alice), 1, "nonce used");
        vm.prank(bob);
        coin.transferFrom(alice, carol, 40e6);
        vm.assertEq(coin.balanceOf(carol), 40e6, "moved");
        vm.expectRevert();
        coin.permit(alice, bob, 40e6, NOW, v, r, s);
    }

    function test_takes_the_signature_as_bytes_too() public {
        coin.permit(alice, bob, 40e6, NOW, _signed("alice", alice, 40e6, NOW));
        vm.assertEq(coin.allowance(alice, bob), 40e6, "allowed");
    }

    function test_refuses_a_late_an_altered_and_a_foreign_signature() public {
        bytes memory signature = _signed("alice", alice, 40e6, NOW);
        vm.warp(NOW + 1);
        vm.expectRevert(abi.encodeWithSelector(ERC20PermitUpgradeable.ERC2612ExpiredSignature.selector, NOW));
        coin.permit(alice, bob, 40e6, NOW, signature);
        vm.warp(NOW);
        vm.expectRevert();
        coin.permit(alice, bob, 41e6, NOW, signature);
        vm.expectRevert();
        coin.permit(alice, carol, 40e6, NOW, signature);
        bytes memory foreign = _signed("stranger", alice, 40e6, NOW);
        vm.expectRevert(abi.encodeWithSelector(ERC20PermitUpgradeable.ERC2612InvalidSigner.selector, stranger, alice));
        coin.permit(alice, bob, 40e6, NOW, foreign);
        vm.expectRevert(abi.encodeWithSelector(ERC20PermitUpgradeable.ERC2612InvalidSigner.selector, address(0), alice));
        coin.permit(alice, bob, 40e6, NOW, "");
        vm.assertEq(coin.allowance(alice, bob), 0, "nothing allowed");
        // What no key signed is not the zero address's signature.
        vm.expectRevert(
            abi.encodeWithSelector(ERC20PermitUpgradeable.ERC2612InvalidSigner.selector, address(0), address(0))
        );
        coin.permit(address(0), bob, 40e6, NOW, "");
    }

    function test_a_contract_wallet_permits_what_it_accepts() public {
        ContractWallet wallet = new ContractWallet();
        wallet.accept(_hash(address(wallet), 5e6, NOW), "any form");
        vm.expectRevert();
        coin.permit(address(wallet), bob, 6e6, NOW, "any form");
        vm.expectRevert();
        coin.permit(address(wallet), bob, 5e6, NOW, "another");
        coin.permit(address(wallet), bob, 5e6, NOW, "any form");
        vm.assertEq(coin.allowance(address(wallet), bob), 5e6, "allowed");
    }

    function test_a_contract_wallet_permits_by_r_s_and_v_too() public {
        ContractWallet wallet = new ContractWallet();
        wallet.accept(_hash(address(wallet), 5e6, NOW), abi.encodePacked(bytes32(uint256(7)), bytes32(uint256(8)), uint8(9)));
        coin.permit(address(wallet), bob, 5e6, NOW, 9, bytes32(uint256(7)), bytes32(uint256(8)));
        vm.assertEq(coin.allowance(address(wallet), bob), 5e6, "allowed");
    }

    function test_a_key_that_runs_code_still_signs() public {
        vm.etch(alice, hex"ef0100000000000000000000000000000000000000dead");
        coin.permit(alice, bob, 40e6, NOW, _signed("alice", alice, 40e6, NOW));
        vm.assertEq(coin.allowance(alice, bob), 40e6, "allowed");
    }
}
