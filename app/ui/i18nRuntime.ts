import type { Messages } from '@lingui/core'

type Cases = Record<string, number | string | readonly Part[]>
/** Text, "#" for the number of the enclosing plural, a placeholder, or a plural with its cases. */
type Part = string | [name: string] | [name: string, type: string, cases: Cases]

let messages: Messages = {}
let locale = ''
let locales: string[] = []

const formatters = new Map<string, unknown>()

/** Formatters by kind and options: creating one takes longer than using it. */
function cached<F>(key: string, create: () => F): F {
  if (!formatters.has(key)) formatters.set(key, create())
  return formatters.get(key) as F
}

function formatNumber(value: number, options?: Intl.NumberFormatOptions): string {
  const key = JSON.stringify(options ?? null)
  return cached(key, () => new Intl.NumberFormat(locales, options)).format(value)
}

function format(parts: readonly Part[], values: Record<string, unknown>, count: string): string {
  let text = ''
  for (const part of parts) {
    if (part === '#') text += count
    else if (typeof part === 'string') text += part
    else if (part.length < 3) text += (values[part[0]] ?? '') as string
    else {
      const cases = part[2] as Cases
      const value = Number(values[part[0]])
      const rules = cached('plural', () => new Intl.PluralRules(locales))
      const chosen = cases[value] ?? cases[rules.select(value)] ?? cases['other'] ?? ''
      text += typeof chosen === 'object' ? format(chosen, values, formatNumber(value)) : chosen
    }
  }
  return text
}

/**
 * The key of a message in compiled catalogs: a hash (FNV-1a), since the text of each message is in the code already. The
 * build fails if two messages have the same.
 */
export function messageKey(id: string): string {
  let hash = 0x811c9dc5
  for (let index = 0; index < id.length; index += 1) hash = Math.imul(hash ^ id.charCodeAt(index), 0x01000193)
  return (hash >>> 0).toString(36)
}

type LoadMessages = () => Promise<{ messages: Messages }>

/** Sets what loads the messages that the catalog of the first screens lacks. Called once, with the language. */
export let setRestLoader: (load: LoadMessages) => void
const restLoader = new Promise<LoadMessages>((resolve) => {
  setRestLoader = resolve
})

/**
 * The module of a dynamic import, once all messages are loaded. The build adds this to each import of a module that shows
 * a message which the catalog of the first screens lacks. Rejects if the messages can't be loaded, as an import does.
 */
export async function withMessages<M>(module: Promise<M>): Promise<M> {
  const load = restLoader.then((loadRest) => loadRest())
  const [loaded, rest] = await Promise.all([module, load])
  Object.assign(messages, rest.messages)
  return loaded
}

/**
 * The part of `@lingui/core` that compiled catalogs need: placeholders, plurals and numbers. The build uses it in place
 * of the library, which is five times as large and part of the first script. A test compares both for every message.
 */
export const i18n = {
  get locale() {
    return locale
  },
  get locales() {
    return locales
  },
  loadAndActivate(catalog: { locale: string; locales: string[]; messages: Messages }): void {
    ;({ locale, locales, messages } = catalog)
    formatters.clear()
  },
  _(id: string, values: Record<string, unknown> = {}): string {
    const message: unknown = messages[messageKey(id)] ?? id
    return typeof message === 'string' ? message : format(message as readonly Part[], values, '')
  },
  number: formatNumber,
}
