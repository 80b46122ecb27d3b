/** Linnet requires Node 20.19 or newer. Prints a message and ends the process on an older one. */
export function requireNode() {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
  if (major > 20 || (major === 20 && minor >= 19)) return
  process.stderr.write(
    `Linnet needs Node 20.19 or newer; this is ${process.versions.node}. Install a newer Node and start again.\n`,
  )
  process.exit(1)
}
