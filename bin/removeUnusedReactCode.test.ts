// @vitest-environment happy-dom
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type * as ReactModule from 'react'
import type * as ReactDomModule from 'react-dom'
import type * as ReactDomClient from 'react-dom/client'
import { expect, it, vi } from 'vitest'
import { checkUse, reduceReactDom, reduceReactDomExports } from './removeUnusedReactCode.ts'

const packages = join(import.meta.dirname, '../node_modules')
const client = readFileSync(join(packages, 'react-dom/cjs/react-dom-client.production.js'), 'utf8')

/** Production builds of React with the given client, loaded without any other module of this process. */
function loadReact(clientCode: string): typeof ReactModule & typeof ReactDomModule & typeof ReactDomClient {
  const modules: Record<string, object> = {}
  const evaluate = (code: string): object => {
    const exports = {}
    // oxlint-disable-next-line no-new-func -- evaluates the code that the build produces
    new Function('exports', 'require', code)(exports, (name: string) => modules[name])
    return exports
  }
  const read = (path: string): string => readFileSync(join(packages, path), 'utf8')
  modules['react'] = evaluate(read('react/cjs/react.production.js'))
  modules['scheduler'] = evaluate(read('scheduler/cjs/scheduler.production.js'))
  const reactDom = read('react-dom/cjs/react-dom.production.js')
  modules['react-dom'] = evaluate(clientCode === client ? reactDom : reduceReactDomExports(reactDom))
  return { ...modules['react'], ...modules['react-dom'], ...evaluate(clientCode) } as never
}

/** Renders lists, forms, lazy components, errors and portals, and returns the document and the log after each step. */
async function record(clientCode: string): Promise<string[]> {
  const react = loadReact(clientCode)
  const { createElement: h, Component, Suspense, createContext, lazy, memo, useState } = react
  const { useDeferredValue, useEffect, useId, useLayoutEffect, useRef, useSyncExternalStore, Fragment } =
    react
  const log: string[] = []
  const Theme = createContext('light')
  let change: (next: { items: string[]; fails?: boolean; lazy?: boolean }) => void = () => {}
  let load: (module: { default: () => ReactModule.ReactNode }) => void = () => {}
  const Lazy = lazy(
    () =>
      new Promise<{ default: () => ReactModule.ReactNode }>((resolve) => {
        load = resolve
      }),
  )
  class Boundary extends Component<{ children: ReactModule.ReactNode }> {
    override state = { hasError: false }
    static getDerivedStateFromError() {
      return { hasError: true }
    }
    override render() {
      return this.state.hasError ? h('p', null, 'Something went wrong') : this.props.children
    }
  }
  const Item = memo(({ text }: { text: string }) => {
    const row = useRef<HTMLLIElement>(null)
    useLayoutEffect(() => void log.push(`layout ${text} ${row.current?.textContent}`), [text])
    useEffect(() => {
      log.push(`effect ${text}`)
      return () => void log.push(`cleanup ${text}`)
    }, [text])
    const [value, setValue] = useState('')
    return h(
      'li',
      {
        ref: row,
        className: react.useContext(Theme),
        style: { height: 4, opacity: 0.5 },
        'data-id': useId(),
      },
      h('input', {
        value,
        onChange: (event: ReactModule.ChangeEvent<HTMLInputElement>) => setValue(event.target.value),
      }),
      h('svg', { viewBox: '0 0 1 1' }, h('title', null, text), h('path', { strokeLinecap: 'round' })),
      text,
      value,
    )
  })
  const Fails = (): null => {
    throw new Error('fails')
  }
  function List() {
    const [state, setState] = useState<Parameters<typeof change>[0]>({ items: ['a', 'b', 'c'] })
    useEffect(() => {
      change = setState
    }, [])
    const online = useSyncExternalStore(
      () => () => {},
      () => true,
    )
    const count = useDeferredValue(state.items.length)
    return h(
      Theme.Provider,
      { value: count > 3 ? 'dark' : 'light' },
      h('form', { onSubmit: (event: Event) => (event.preventDefault(), log.push('submit')) }, String(online)),
      h('select', { defaultValue: 'b' }, h('option', null, 'a'), h('option', null, 'b')),
      h('textarea', { defaultValue: 'draft', onKeyDown: () => log.push('keydown') }),
      h('ul', null, ...state.items.map((text) => h(Item, { key: text, text }))),
      h(Boundary, null, state.fails ? h(Fails) : h(Fragment, null, 'fine')),
      h(
        Suspense,
        { fallback: h('i', null, 'loading') },
        state.lazy ? h(Lazy) : 'nothing',
        h('b', null, 'beside'),
      ),
      react.createPortal(
        h('dialog', { open: true, onClick: () => log.push('click') }, 'dialog'),
        document.body,
      ),
    )
  }
  const container = document.body.appendChild(document.createElement('div'))
  const root = react.createRoot(container, { onCaughtError: (error) => void log.push(String(error)) })
  const steps: string[] = []
  const step = async (run: () => void, done: () => boolean): Promise<void> => {
    run()
    await vi.waitUntil(done, { timeout: 60_000 })
    const shown = () => `${document.body.innerHTML}\n${log.join('\n')}`
    // React does each part of its work in an immediate: after ten without a change it has none left.
    let last = shown()
    for (let unchanged = 0; unchanged < 10; unchanged += 1) {
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      await new Promise(setImmediate)
      if (shown() !== last) unchanged = 0
      last = shown()
    }
    steps.push(last)
    log.length = 0
  }
  const shows = (text: string) => () => container.textContent?.includes(text) ?? false
  await step(
    () => root.render(h(List)),
    () => log.length === 6,
  )
  await step(
    () => change({ items: ['d', 'c', 'a', 'e'] }),
    () => container.querySelector('li')?.className === 'dark' && log.includes('effect e'),
  )
  await step(() => {
    const input = container.querySelector('input')!
    Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value')!.set!.call(input, 'typed')
    input.dispatchEvent(new Event('input', { bubbles: true }))
  }, shows('typed'))
  await step(
    () => {
      document.querySelector('dialog')!.dispatchEvent(new MouseEvent('click', { bubbles: true }))
      container
        .querySelector('textarea')!
        .dispatchEvent(new KeyboardEvent('keydown', { bubbles: true, key: 'a' }))
      container.querySelector('form')!.dispatchEvent(new Event('submit', { bubbles: true, cancelable: true }))
    },
    () => log.length === 3,
  )
  // React runs cleanups after it has changed the document.
  await step(
    () => change({ items: ['d'], lazy: true }),
    () => shows('loading')() && log.length === 3,
  )
  await step(() => load({ default: () => 'loaded' }), shows('loaded'))
  await step(
    () => change({ items: [], fails: true }),
    () => shows('Something went wrong')() && log.includes('cleanup d'),
  )
  await step(
    () => root.unmount(),
    () => container.innerHTML === '',
  )
  container.remove()
  return steps
}

it('reduced React renders what complete React renders, with less code', async () => {
  const reduced = reduceReactDom(client)
  const expected = await record(client)
  expect(expected).toHaveLength(8)
  expect(await record(reduced)).toEqual(expected)
  expect(reduced.includes('hydrateRoot') || reduced.includes('startViewTransition')).toBe(false)
  expect(reduced.length).toBeLessThan(0.6 * client.length)
})

it('a new version of React without one of the removed parts is reported', () => {
  expect(() => reduceReactDom(client.replaceAll('queueIfContinuousEvent', 'renamed'))).toThrow(
    'react-dom no longer contains queueIfContinuousEvent',
  )
})

it.each([
  ["import { memo, useTransition } from 'react'", 'useTransition'],
  ["import { preload } from 'react-dom'", 'preload'],
  ['class List extends Component {\n  override componentDidMount() {}\n}', 'componentDidMount'],
])('%j is reported', (code, name) => {
  expect(() => checkUse("import { memo } from 'react'", 'a.tsx')).not.toThrow()
  expect(() => checkUse(code, 'a.tsx')).toThrow(
    `a.tsx: bin/removeUnusedReactCode.ts removes ${name} from React`,
  )
})
