import { inspect } from 'node:util'

/** The version of Deno that this is compatible with. */
export const denoVersion = '2.1.4'

const output = (stream: NodeJS.WriteStream) => ({
  write: async (bytes: Uint8Array): Promise<number> => {
    stream.write(bytes)
    return bytes.byteLength
  },
  writeSync: (bytes: Uint8Array): number => {
    stream.write(bytes)
    return bytes.byteLength
  },
  get writable(): WritableStream<Uint8Array> {
    return new WritableStream({
      write(bytes) {
        stream.write(bytes)
      },
    })
  },
  isTerminal: (): boolean => false,
})

const architectures: Record<string, string> = { x64: 'x86_64', arm64: 'aarch64' }
const arch = architectures[process.arch] ?? process.arch
const os = process.platform
const vendor = os === 'darwin' ? 'apple' : 'unknown'

/** Members of `Deno` about the system. Information about the machine is fixed, as on Supabase. */
export const system = {
  args: [],
  noColor: true,
  pid: process.pid,
  build: {
    target: os === 'darwin' ? `${arch}-apple-darwin` : `${arch}-unknown-linux-gnu`,
    arch,
    os,
    vendor,
    standalone: false,
    ...(os === 'darwin' ? {} : { env: 'gnu' }),
  },
  version: {
    deno: `linnet (compatible with Deno v${denoVersion})`,
    v8: process.versions.v8,
    typescript: '5.6.2',
  },
  stdout: output(process.stdout),
  stderr: output(process.stderr),
  cwd: (): string => process.cwd(),
  execPath: (): string => '/bin/edge-runtime',
  hostname: (): string => 'localhost',
  osRelease: (): string => '0.0.0-00000000-generic',
  osUptime: (): number => Math.floor(process.uptime()),
  loadavg: (): number[] => [0, 0, 0],
  uid: (): number => 1000,
  gid: (): number => 1000,
  isatty: (): boolean => false,
  consoleSize: () => ({ columns: 80, rows: 24 }),
  memoryUsage: () => process.memoryUsage(),
  inspect: (value: unknown, options: object = {}): string => inspect(value, options),
  // No-ops, as on Supabase.
  exit: (): void => {},
  addSignalListener: (): void => {},
  removeSignalListener: (): void => {},
  refTimer: (timer: { ref?: () => void }): void => timer.ref?.(),
  unrefTimer: (timer: { unref?: () => void }): void => timer.unref?.(),
}
