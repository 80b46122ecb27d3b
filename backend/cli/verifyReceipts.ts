import { readFileSync } from 'node:fs'
import { verifyReceipts as checkChain } from '../../wire/verifyReceipts.ts'
import { UsageError, defineCommand } from './Command.ts'

/** `linnet verify-receipts`: checks the chain of hashes of exported retention receipts, without a server. */
export const verifyReceipts = defineCommand({
  name: 'verify-receipts',
  group: 'Database',
  summary: 'Check receipts of deleted messages, without a server',
  help: `<file> is what "Download receipts" under Settings, "Message retention", has saved. Prints how
many receipts it has and the last hash; fails at the first line that was changed, removed or inserted.`,
  args: ['<file>'],
  options: {},
  async run({ args: [file = ''] }) {
    let text: string
    try {
      text = readFileSync(file, 'utf8')
    } catch (error) {
      throw new UsageError(`Cannot read ${file}: ${(error as Error).message}`)
    }
    const { receipts, lastHash, broken } = await checkChain(text)
    if (broken) {
      console.error(`Line ${broken.line}: ${broken.reason}. The ${receipts} receipts before it are intact.`)
      return 1
    }
    console.log(receipts ? `${receipts} receipts, intact. Last hash: ${lastHash}` : 'No receipts.')
    return 0
  },
})
