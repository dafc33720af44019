import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { stepsOf, withValues } from './walkthrough.ts'

const BEFORE_A_BLOCK = 'Aminah:'
const documentWith = (line: string) => `# Title

## Other

### Elsewhere

Aminah:

\`\`\`sh
not this
\`\`\`

## Walk

No step has this.

### One

Some words. ${line}

\`\`\`sh
coin whoami
coin reconcile   # two lines
\`\`\`

\`\`\`json
{ "nobody": "types this" }
\`\`\`

Bala runs it again, with what was approved:

\`\`\`sh
coin audit list
\`\`\`

### Two

Only words.

## After

### Not this either
`

describe('the steps of a walk-through', () => {
  it("are a section's subheadings with the shell blocks below them, each with who types it", () => {
    assert.deepEqual(stepsOf(documentWith(BEFORE_A_BLOCK), 'Walk', ['Aminah', 'Bala']), [
      {
        title: 'One',
        blocks: [
          { who: 'Aminah', script: 'coin whoami\ncoin reconcile   # two lines\n' },
          { who: 'Bala', script: 'coin audit list\n' },
        ],
      },
      { title: 'Two', blocks: [] },
    ])
  })

  it('change with the document', () => {
    const changed = documentWith(BEFORE_A_BLOCK).replace('coin whoami', 'coin overview')
    assert.match(stepsOf(changed, 'Walk', ['Aminah', 'Bala'])[0]?.blocks[0]?.script ?? '', /^coin overview\n/)
  })

  it('are refused when a block belongs to nobody, and when the section is missing', () => {
    assert.throws(
      () => stepsOf(documentWith('Chong:'), 'Walk', ['Aminah', 'Bala']),
      /under One that follows "Some words. Chong:"/,
    )
    assert.throws(() => stepsOf(documentWith('Aminah sees this.'), 'Walk', ['Aminah', 'Bala']), /Nobody types/)
    assert.throws(() => stepsOf(documentWith(BEFORE_A_BLOCK), 'Wolk', ['Aminah']), /no section Wolk/)
  })

  it('are refused when a block stands right below the words, where its person would be overlooked', () => {
    const tight = documentWith(BEFORE_A_BLOCK).replace(
      `${BEFORE_A_BLOCK}\n\n\`\`\`sh\ncoin`,
      `${BEFORE_A_BLOCK}\n\`\`\`sh\ncoin`,
    )
    assert.throws(() => stepsOf(tight, 'Walk', ['Aminah', 'Bala']), /One has 2 shell blocks/)
  })
})

describe('values of one place', () => {
  it('stand where the document has examples, and nowhere else', () => {
    const script = 'export PORT=4000 API_PORT=1\ncat <<END\nPORT=$PORT\nEND\nwallet=0x…   # as told\n'
    assert.equal(
      withValues(script, { PORT: '20001', wallet: '$&' }),
      "export PORT='20001' API_PORT=1\ncat <<END\nPORT=$PORT\nEND\nwallet='$&'   # as told\n",
    )
  })

  it('are missed where the document leaves one open', () => {
    assert.throws(() => withValues('wallet=0x…', { PORT: '1' }), /Nothing is given for wallet=0x…/)
  })
})
