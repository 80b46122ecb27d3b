import { isLoopbackHost } from '../runtime/clientAddress/isLocalRequest.ts'
import type { Running } from '../startup/running.ts'

/** Browsers keep service workers, push and PKCE's S256 for https and localhost. */
function isPlainOutside(url: string): boolean {
  const { protocol, hostname } = new URL(url)
  return protocol === 'http:' && !isLoopbackHost(hostname)
}

/** Tells a person at a terminal where to go next; a developer of another project the keys that one asks for. */
export function greet(running: Running, links: { name: string; url: string }[], ownSchema: boolean): void {
  const lines = [`Linnet is ready at ${running.url}`, `Look after it: ${running.dashboard}`]
  if (!ownSchema)
    lines.push(`Public key: ${running.publishableKey}`, 'linnet status -o env prints the others.')
  if (running.setupUrl !== null)
    lines.push('', `Set it up: ${running.setupUrl}`, 'Whoever opens this link first becomes the owner.')
  for (const { name, url } of links) lines.push(`Sign in as ${name}: ${url}`)
  if (running.mailbox !== null)
    lines.push('', `Mails and texts that nothing is set up to send are kept here: ${running.mailbox}`)
  if (isPlainOutside(running.url)) {
    lines.push(
      '',
      'This address is plain http outside of localhost: browsers take service workers, push and part of',
      'sign-in away there. docs/network.md says how to give it a certificate.',
    )
  }
  process.stdout.write(`${lines.join('\n')}\n`)
}
