/** Permission names, and whether functions have them: those of Supabase's workers. */
const granted: Record<string, boolean> = {
  env: true,
  net: true,
  read: true,
  write: true,
  import: true,
  sys: false,
  run: false,
  ffi: false,
}

class PermissionStatus extends EventTarget {
  readonly state: 'granted' | 'denied'
  readonly partial = false
  onchange = null

  constructor(name: string) {
    super()
    this.state = granted[name] ? 'granted' : 'denied'
  }
}

function query(asked: { name: string }): PermissionStatus {
  if (!Object.hasOwn(granted, asked.name))
    throw new TypeError(`The provided value "${asked.name}" is not a valid permission name.`)
  return new PermissionStatus(asked.name)
}

const queryAsync = async (asked: { name: string }): Promise<PermissionStatus> => query(asked)

/** `Deno.permissions`: fixed, so that `request` and `revoke` change nothing. */
export const permissions = {
  query: queryAsync,
  request: queryAsync,
  revoke: queryAsync,
  querySync: query,
  requestSync: query,
  revokeSync: query,
}
