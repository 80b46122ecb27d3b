import { createInterface } from 'node:readline'
import { Writable } from 'node:stream'
import { UsageError } from './Command.ts'

/** Reads one line from the terminal without displaying it. Throws UsageError where there is no terminal. */
export async function readSecretLine(question: string): Promise<string> {
  if (!process.stdin.isTTY)
    throw new UsageError('There is no terminal to type the passphrase. Use --passphrase-file.')
  process.stderr.write(`${question}: `)
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() })
  const lines = createInterface({ input: process.stdin, output: silent, terminal: true })
  const line = await new Promise<string>((resolve, reject) => {
    lines.once('line', resolve)
    lines.once('SIGINT', () => reject(new UsageError('Nothing was changed.')))
  }).finally(() => lines.close())
  process.stderr.write('\n')
  if (line === '') throw new UsageError('The passphrase is empty. Nothing was changed.')
  return line
}
