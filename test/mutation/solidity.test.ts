import assert from 'node:assert/strict'
import { test } from 'node:test'
import { applyEdit } from './mutant.ts'
import { solidityEdits } from './solidity.ts'

const SOURCE = `// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;
/// A purse – its dash is three bytes long.
contract Purse {
    event Spent(uint256 amount);
    error TooMuch();
    uint256 left = 5;
    modifier onlyOwner() { require(msg.sender != address(0), "owner"); _; }
    function spend(uint256 amount) external onlyOwner returns (bool) {
        if (amount > left) revert TooMuch();
        left -= amount;
        emit Spent(amount);
        return true;
    }
    function half(uint256 amount) external pure returns (uint256 result) {
        assembly {
            result := shr(1, amount)
        }
    }
}
`

test('each guard, effect, event, modifier and boundary is changed once', () => {
  const changes = solidityEdits(SOURCE).map((edit) => [
    edit.operator,
    SOURCE.slice(edit.start, edit.end),
    edit.replacement,
  ])
  assert.deepEqual(changes, [
    ['sol-constant', '5', '6'],
    ['sol-drop-require', 'require(msg.sender != address(0), "owner");', '{}'],
    ['sol-comparison', '!=', '=='],
    ['sol-constant', '0', '1'],
    ['sol-drop-if', 'if (amount > left) revert TooMuch();', '{}'],
    ['sol-comparison', '>', '>='],
    ['sol-comparison', '>', '<='],
    ['sol-drop-statement', 'left -= amount;', '{}'],
    ['sol-arithmetic', '-=', '+='],
    ['sol-drop-emit', 'emit Spent(amount);', '{}'],
    ['sol-truth', 'true', 'false'],
    ['sol-modifier', 'onlyOwner', ''],
    ['sol-arithmetic', 'shr', 'shl'],
    ['sol-constant', '1', '2'],
  ])
  for (const edit of solidityEdits(SOURCE)) assert.doesNotThrow(() => solidityEdits(applyEdit(SOURCE, edit)))
})

test('a source that does not parse is refused with the compiler’s words', () => {
  assert.throws(() => solidityEdits('contract {'), /Expected identifier/)
})
