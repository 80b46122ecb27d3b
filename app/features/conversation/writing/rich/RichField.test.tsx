// @vitest-environment happy-dom
import { i18n } from '@lingui/core'
import { act, createRef, type ComponentProps } from 'react'
import { createRoot } from 'react-dom/client'
import { expect, it, vi } from 'vitest'
import { MeContext, type Me } from '../../../parts/members/MeContext.ts'
import type { MessageFieldHandle } from '../MessageFieldProps.ts'
import RichField from './RichField.tsx'

/** A field in a page, with what it emits. */
function renderField(body = '', first: Partial<ComponentProps<typeof RichField>> = {}) {
  Object.assign(globalThis, { IS_REACT_ACT_ENVIRONMENT: true })
  i18n.loadAndActivate({ locale: 'en', messages: {} })
  const page = document.body.appendChild(document.createElement('main'))
  const root = createRoot(page)
  const onChange = vi.fn<(body: string) => void>()
  const onEnter = vi.fn<() => void>()
  const props = { label: 'Message', channelId: 'c', body, onChange, onEnter }
  const render = (more: Partial<ComponentProps<typeof RichField>> = {}) =>
    act(() =>
      root.render(
        <MeContext value={{ profile: { id: 'me' }, role: 'member' } as Me}>
          <RichField {...props} {...more} />
        </MeContext>,
      ),
    )
  render(first)
  const field = page.querySelector<HTMLElement>('[role=textbox]')!
  return {
    field,
    onChange,
    onEnter,
    render,
    press(state: KeyboardEventInit & { keyCode?: number }) {
      const event = new KeyboardEvent('keydown', { bubbles: true, cancelable: true, ...state })
      act(() => field.dispatchEvent(event))
      return event
    },
    end() {
      act(() => root.unmount())
      page.remove()
    },
  }
}

it('shows the formats of a text, and replaces it only by a text that it has not emitted', () => {
  const { field, onChange, render, end } = renderField('a **b**')
  expect(field.querySelector('strong')?.textContent).toBe('b')
  render({ body: '- c' })
  expect(field.querySelector('li')?.textContent).toBe('c')
  render({ body: '' })
  expect(field.textContent).toBe('')
  expect(onChange).not.toHaveBeenCalled()
  end()
})

it('Enter sends, and never the Enter that ends a composition', () => {
  const { press, onEnter, end } = renderField('a')
  for (const state of [{ isComposing: true }, { keyCode: 229 }]) press({ key: 'Enter', ...state })
  expect(onEnter).not.toHaveBeenCalled()
  press({ key: 'Enter', keyCode: 13 })
  expect(onEnter).toHaveBeenCalledOnce()
  end()
})

it('has the focus when the commit that shows it ends', () => {
  let focused: Element | null = null
  const ref = () => void (focused = document.activeElement)
  const { field, end } = renderField('', { isFocusedFirst: true, ref })
  expect(focused).toBe(field)
  end()
})

it('Enter sends a long text with what was typed last', () => {
  const { onChange, onEnter, render, press, end } = renderField()
  const handle = createRef<MessageFieldHandle>()
  const sent: string[] = []
  const renderText = (body: string) => render({ body, ref: handle, onEnter: () => void sent.push(body) })
  onChange.mockImplementation(renderText)
  renderText('long '.repeat(1_100))
  act(() => handle.current!.insert('end'))
  expect(onChange).not.toHaveBeenCalled()
  press({ key: 'Enter', keyCode: 13 })
  expect(sent).toEqual([`${'long '.repeat(1_100)}end`])
  expect(onEnter).not.toHaveBeenCalled()
  end()
})

it('Enter sends keys that the owner has not rendered yet', () => {
  const { onChange, render, press, end } = renderField()
  const handle = createRef<MessageFieldHandle>()
  const sent: string[] = []
  const renderText = (body: string) => render({ body, ref: handle, onEnter: () => void sent.push(body) })
  renderText('')
  onChange.mockImplementationOnce(() => {}).mockImplementation(renderText)
  act(() => handle.current!.insert('end'))
  press({ key: 'Enter', keyCode: 13 })
  expect(sent).toEqual(['end'])
  end()
})

it('lines that an input method inserts become lines, with the caret behind them', () => {
  const { field, onChange, end } = renderField('one')
  const insert = (data: string) => {
    const event = new InputEvent('beforeinput', {
      bubbles: true,
      cancelable: true,
      inputType: 'insertText',
      data,
    })
    act(() => field.dispatchEvent(Object.assign(event, { getTargetRanges: () => [] })))
    return event.defaultPrevented
  }
  expect(insert('word')).toBe(false)
  expect(insert('\ntwo\n\nthree')).toBe(true)
  expect(insert(' and\nfour')).toBe(true)
  expect(onChange).toHaveBeenLastCalledWith('one\ntwo\n\nthree and\nfour')
  end()
})

it('names itself to screen readers', () => {
  const { field, end } = renderField()
  const names = ['role', 'aria-multiline', 'aria-label', 'aria-autocomplete', 'aria-haspopup']
  expect(names.map((name) => field.getAttribute(name))).toEqual([
    'textbox',
    'true',
    'Message',
    'list',
    'listbox',
  ])
  end()
})
