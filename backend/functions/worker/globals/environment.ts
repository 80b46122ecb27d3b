/** `Deno.env`. The process's own environment is the function's, so that npm packages see the same. */
export const environment = {
  get: (name: string): string | undefined => process.env[name],
  set: (name: string, value: string): void => {
    process.env[name] = value
  },
  has: (name: string): boolean => name in process.env,
  delete: (name: string): void => {
    delete process.env[name]
  },
  toObject: (): Record<string, string> => ({ ...process.env }) as Record<string, string>,
}
