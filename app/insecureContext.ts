// Adds functions that browsers offer only over https and on localhost: `crypto.randomUUID` and `navigator.clipboard.writeText`.
// A group that tries Linnet in its own network opens it over http. The app does without service workers, push messages and
// Web Locks there, and the client library sends the code verifier of a sign-in as it is.
add(crypto, 'randomUUID', randomUUID)
add(navigator, 'clipboard', { writeText })

function add(target: object, name: string, value: unknown): void {
  if (!(name in target)) Object.defineProperty(target, name, { value, configurable: true })
}

/** A random UUID (RFC 9562, version 4). */
function randomUUID(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  bytes[6] = (bytes[6]! & 0x0f) | 0x40
  bytes[8] = (bytes[8]! & 0x3f) | 0x80
  const digits = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
  return digits.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
}

/** Copies a text by the command of the browser. The selection, which a dialog may restrict, stays as it is. */
async function writeText(text: string): Promise<void> {
  const onCopy = (event: ClipboardEvent) => {
    event.clipboardData?.setData('text/plain', text)
    event.preventDefault()
    event.stopImmediatePropagation()
  }
  document.addEventListener('copy', onCopy, { capture: true })
  try {
    if (!document.execCommand('copy')) throw new Error('The browser refused to copy')
  } finally {
    document.removeEventListener('copy', onCopy, { capture: true })
  }
}

// Without an export the file would be no module.
export {}
