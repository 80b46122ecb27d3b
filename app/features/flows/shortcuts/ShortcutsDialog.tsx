import { i18n } from '@lingui/core'
import { Dialog } from '../../../ui/Dialog.tsx'
import layout from '../../../ui/dialogLayout.module.css'
import { formatNames, FORMATS } from '../../conversation/writing/formats.ts'
import { commandKey } from '../../parts/shortcuts/commandKey.ts'
import { keyNames } from '../../parts/shortcuts/keyNames.ts'
import styles from './ShortcutsDialog.module.css'

/** All keyboard shortcuts. */
export default function ShortcutsDialog({ onClose }: { onClose: () => void }) {
  return (
    <Dialog title={i18n._('Keyboard shortcuts')} onClose={onClose}>
      <div className={layout.body}>
        {shortcutGroups().map(([title, keys]) => (
          <section key={title} className={styles.group}>
            <h3 className="label">{title}</h3>
            <dl className={styles.keys}>
              {keys.map(([key, description]) => (
                <div key={key} className={styles.key}>
                  <dt>
                    <kbd>{keyNames(key)}</kbd>
                  </dt>
                  <dd>{description}</dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
    </Dialog>
  )
}

function shortcutGroups(): [string, [string, string][]][] {
  return [
    [
      i18n._('Anywhere'),
      [
        [commandKey('K'), i18n._('Jump to a channel, person or command')],
        [commandKey('Shift F'), i18n._('Search messages')],
        ['Alt ↑ ↓', i18n._('Previous or next unread conversation')],
        ['Ctrl Shift 1 – 9', i18n._('Open another of your workspaces')],
        ['F6', i18n._('Next area: sidebar, conversation, composer, side panel')],
        ['Esc', i18n._('Close what’s open, or mark as read')],
        ['?', i18n._('Show this list')],
      ],
    ],
    [
      i18n._('In the sidebar'),
      [
        ['↑ ↓', i18n._('Previous or next conversation')],
        ['Shift F10', i18n._('Open menu')],
        ['Alt Shift ↑ ↓', i18n._('Move a conversation or section')],
      ],
    ],
    [
      i18n._('On a message'),
      [
        ['↑ ↓', i18n._('Previous or next message')],
        ['Home End', i18n._('First or latest message')],
        ['R', i18n._('Reply in thread')],
        ['+', i18n._('Add a reaction')],
        ['E', i18n._('Edit your message')],
        ['U', i18n._('Mark unread from here')],
        ['A', i18n._('Save for later')],
        ['X', i18n._('Select messages')],
        ['Shift ↑ ↓', i18n._('Select several messages')],
      ],
    ],
    [
      i18n._('In Threads'),
      [
        ['J K', i18n._('Next or previous thread')],
        ['Enter', i18n._('Open thread')],
        ['R', i18n._('Reply here')],
        ['M', i18n._('Mark as read')],
      ],
    ],
    [
      i18n._('While writing'),
      [
        ['Enter', i18n._('Send, or a new line in a code block')],
        [commandKey('Enter'), i18n._('Send')],
        ['Shift Enter', i18n._('New line; continues a list')],
        ['Tab', i18n._('Indent a list item')],
        ['↑', i18n._('Edit your last message, when the field is empty')],
        ['@ # : /', i18n._('Person, channel, emoji or command')],
        [commandKey('Shift V'), i18n._('Paste as plain text')],
      ],
    ],
    [
      i18n._('Formatting'),
      formatNames().flatMap(([format, name]): [string, string][] => {
        const { keys } = FORMATS[format]
        if (!keys) return []
        return [[commandKey(keys), format === 'link' ? i18n._('Link, with text selected') : name]]
      }),
    ],
  ]
}
