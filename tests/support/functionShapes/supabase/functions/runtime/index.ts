// Features of the runtime, each requested by its name.
interface Probe {
  [name: string]: () => unknown
}

const message = (run: () => unknown): string => {
  try {
    return String(run())
  } catch (error) {
    return `${(error as Error).name}: ${(error as Error).message}`
  }
}

const names = [
  'SUPABASE_URL',
  'SUPABASE_ANON_KEY',
  'SUPABASE_SERVICE_ROLE_KEY',
  'SUPABASE_DB_URL',
  'SB_EXECUTION_ID',
]

const probes: Probe = {
  environment: () => {
    Deno.env.set('OWN', '1')
    const had = Deno.env.has('OWN')
    Deno.env.delete('OWN')
    return {
      given: names.every((name) => (Deno.env.get(name) ?? '') !== ''),
      own: [had, Deno.env.get('OWN') ?? null],
      inherited: ['PATH', 'HOME', 'PWD'].filter((name) => name in Deno.env.toObject()),
    }
  },
  temporary: async () => {
    const dir = await Deno.makeTempDir({ prefix: 'shapes' })
    const path = `${dir}/a.txt`
    await Deno.writeTextFile(path, 'one')
    await Deno.writeTextFile(path, ' two', { append: true })
    const file = await Deno.open(path)
    const bytes = new Uint8Array(3)
    const count = await file.read(bytes)
    file.close()
    const entries = []
    for await (const entry of Deno.readDir(dir)) entries.push(entry.name)
    const { size, isFile } = await Deno.stat(path)
    const refused = await Deno.remove(dir).catch((error) => error.name ?? 'none')
    await Deno.remove(dir, { recursive: true })
    const gone = await Deno.stat(path).catch((error) => error instanceof Deno.errors.NotFound)
    return {
      count,
      text: new TextDecoder().decode(bytes),
      entries,
      size,
      isFile,
      refused: typeof refused,
      gone,
    }
  },
  sandbox: async () => ({
    write: await Deno.writeTextFile('/etc/linnet', 'x').catch((error) => error.name),
    sync: message(() => Deno.writeTextFileSync('/tmp/x', 'x')),
    connect: message(() => Deno.connect({ port: 1 })),
    command: message(() => new Deno.Command('ls')),
    ai: message(() => new Supabase.ai.Session('gte-small')),
    upgrade: message(() => Deno.upgradeWebSocket(new Request('http://localhost'))),
  }),
  language: async () => ({
    resolvers: typeof Promise.withResolvers().resolve,
    fromAsync: await Array.fromAsync([1, Promise.resolve(2)]),
    grouped: Object.groupBy([1, 2, 3], (n) => (n % 2 ? 'odd' : 'even')),
    union: [...new Set([1]).union(new Set([2]))],
    file: new File(['abc'], 'a.txt').size,
    socket: typeof WebSocket,
    agent: navigator.userAgent,
    scope: [self === globalThis, window === globalThis],
    bytes: [...(await new Response('a').bytes())],
    version: typeof Deno.version.deno,
    inspected: Deno.inspect({ a: [1] }),
    granted: (await Deno.permissions.query({ name: 'net' })).state,
  }),
}

Deno.serve(
  {
    onListen: () => console.log('listening'),
    onError: (error) => new Response(`onError: ${error}`, { status: 418 }),
  },
  async (req, info) => {
    const name = new URL(req.url).pathname.split('/').pop()!
    if (name === 'fail') throw new Error('on purpose')
    if (name === 'remote') return Response.json(info.remoteAddr)
    return Response.json(await probes[name]!())
  },
)
