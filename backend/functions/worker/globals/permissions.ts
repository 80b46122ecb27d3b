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

function query(descriptor: { name: string }): PermissionStatus {
  if (!Object.hasOwn(granted, descriptor.name))
    throw new TypeError(`The provided value "${descriptor.name}" is not a valid permission name.`)
  return new PermissionStatus(descriptor.name)
}

const queryAsync = async (descriptor: { name: string }): Promise<PermissionStatus> => query(descriptor)

/** `Deno.permissions`: fixed, so that `request` and `revoke` change nothing. */
export const permissions = {
  query: queryAsync,
  request: queryAsync,
  revoke: queryAsync,
  querySync: query,
  requestSync: query,
  revokeSync: query,
}
