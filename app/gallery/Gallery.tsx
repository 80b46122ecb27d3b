import Bell from 'lucide-react/icons/bell'
import Trash from 'lucide-react/icons/trash-2'
import { useRef, useState, type ReactNode } from 'react'
import { AutoGrowTextarea } from '../ui/AutoGrowTextarea.tsx'
import { Badge } from '../ui/Badge.tsx'
import { Button } from '../ui/Button.tsx'
import { Checkbox } from '../ui/Checkbox.tsx'
import { Chip } from '../ui/Chip.tsx'
import { ConfirmDialog } from '../ui/ConfirmDialog.tsx'
import { Dialog } from '../ui/Dialog.tsx'
import layout from '../ui/dialogLayout.module.css'
import { PaneBoundary } from '../ui/ErrorBoundary.tsx'
import { EmptyState } from '../ui/EmptyState.tsx'
import { formFailure } from '../ui/fieldFailure.ts'
import { Form } from '../ui/Form.tsx'
import { FormDialog } from '../ui/FormDialog.tsx'
import { GrowingList } from '../ui/GrowingList.tsx'
import { Icon } from '../ui/Icon.tsx'
import { IconButton } from '../ui/IconButton.tsx'
import { Link } from '../ui/Link.tsx'
import { LiveRegion } from '../ui/LiveRegion.tsx'
import { Logo } from '../ui/Logo.tsx'
import Menu from '../ui/Menu.tsx'
import { MenuButton } from '../ui/MenuButton.tsx'
import { Page } from '../ui/Page.tsx'
import { Popover } from '../ui/Popover.tsx'
import { PresenceDot } from '../ui/PresenceDot.tsx'
import { ResizeHandle } from '../ui/ResizeHandle.tsx'
import { RadioGroup } from '../ui/RadioGroup.tsx'
import { SelectField } from '../ui/SelectField.tsx'
import { Skeleton } from '../ui/Skeleton.tsx'
import { Switch } from '../ui/Switch.tsx'
import { Tabs } from '../ui/Tabs.tsx'
import { TextArea } from '../ui/TextArea.tsx'
import { TextField } from '../ui/TextField.tsx'
import { useToast } from '../ui/toast.ts'
import { Toaster } from '../ui/Toaster.tsx'
import styles from './Gallery.module.css'

const OPTIONS = ['Every message', 'Mentions', 'Nothing'].map((label) => ({ value: label, label }))
const VARIANTS = ['primary', 'danger', 'plain', 'quiet'] as const
const PANELS = [
  ['light', 'ltr'],
  ['light', 'rtl'],
  ['dark', 'ltr'],
  ['dark', 'rtl'],
] as const
const ITEMS = [
  { label: 'Thumbs up', icon: '👍', isCompact: true, onSelect: () => {} },
  { label: 'Heart', icon: '❤️', isCompact: true, onSelect: () => {} },
  { label: 'Copy link', keys: 'L', icon: <Icon of={Bell} />, onSelect: () => {} },
  { label: 'Sort by name', checked: true, onSelect: () => {} },
  { label: 'Garden Studio', hint: '3', isUrgent: true, onSelect: () => {} },
  { label: 'Delete', icon: <Icon of={Trash} />, isDestructive: true, separated: true, onSelect: () => {} },
]

/** Every component of `app/ui` in each of its states, in both themes and both directions. */
export function Gallery() {
  return (
    <Toaster>
      <LiveRegion />
      <div className={styles.gallery}>
        {PANELS.map(([theme, dir]) => (
          <section
            key={theme + dir}
            aria-label={`${theme}, ${dir}`}
            dir={dir}
            className={styles.panel}
            style={{ colorScheme: theme }}
          >
            <Components />
          </section>
        ))}
      </div>
    </Toaster>
  )
}

function Components() {
  const [text, setText] = useState('Two lines\nof text')
  const [choice, setChoice] = useState('Mentions')
  const [checked, setChecked] = useState(true)
  const [width, setWidth] = useState(15)
  const area = useRef<HTMLTextAreaElement>(null)
  return (
    <>
      <Example title="Button, Icon">
        {VARIANTS.map((variant) => (
          <Button key={variant} variant={variant}>
            {variant}
          </Button>
        ))}
        {VARIANTS.map((variant) => (
          <Button key={variant} variant={variant} disabled>
            {variant} disabled
          </Button>
        ))}
        {VARIANTS.map((variant) => (
          <Button key={variant} variant={variant} busy>
            {variant} busy
          </Button>
        ))}
      </Example>
      <Example title="IconButton, MenuButton, Link, Logo, Badge, Chip, PresenceDot">
        <IconButton label="Notifications" keys="N" icon={<Icon of={Bell} />} />
        <IconButton label="Pressed" aria-pressed icon={<Icon of={Bell} />} />
        <IconButton label="Disabled" disabled icon={<Icon of={Bell} size={20} />} />
        <MenuButton label="More" icon={<Icon of={Trash} />} items={ITEMS} />
        <Link href="#link">A link</Link>
        <Logo />
        <Badge>12</Badge>
        <Chip onClick={() => {}}>From</Chip>
        <Chip removeLabel="Remove filter from: ann" onClick={() => {}}>
          from: ann
        </Chip>
        <Badge isUrgent>@3</Badge>
        {(['active', 'away', 'dnd', 'offline'] as const).map((state) => (
          <PresenceDot key={state} state={state} label={state} />
        ))}
      </Example>
      <Example title="Form, TextField, SelectField, TextArea, Checkbox, Switch, RadioGroup">
        <Form
          action="Save"
          run={() => formFailure('The server can’t be reached.')}
          failure="Couldn’t save. Try again."
          after={<Button>Cancel</Button>}
        >
          <TextField label="Name" placeholder="Placeholder" hint="Shown to all members." />
          <TextField label="Email address" defaultValue="ann@" error="Enter a complete address." />
          <TextField label="Disabled" defaultValue="Fixed" disabled />
          <SelectField label="Notify about" value={choice} options={OPTIONS} onChange={setChoice} />
          <TextArea label="Description" hint="Up to 250 characters." defaultValue="What the channel is for" />
          <Checkbox label="Selected" hint="With a hint." checked={checked} onChange={setChecked} />
          <Checkbox label="Not selected" checked={!checked} onChange={(value) => setChecked(!value)} />
          <Switch
            label="On"
            hint="With a hint."
            checked={checked}
            onChange={setChecked}
            failure="Couldn’t save."
          />
          <Switch label="Off" checked={!checked} onChange={(value) => setChecked(!value)} />
          <RadioGroup label="Notify about" value={choice} options={OPTIONS} onChange={setChoice} />
        </Form>
      </Example>
      <Example title="Tabs, AutoGrowTextarea, GrowingList, ResizeHandle">
        <Tabs label="Notifications" value={choice} tabs={OPTIONS} onChange={setChoice}>
          <AutoGrowTextarea ref={area} label="Message" value={text} onChange={setText} />
          <GrowingList
            label="Options"
            className={layout.list}
            items={OPTIONS}
            selection=""
            render={({ label }) => (
              <li key={label}>
                <button type="button" data-entry className={layout.row}>
                  <span className={layout.name}>{label}</span>
                  <span className={layout.aside}>12</span>
                </button>
              </li>
            )}
          />
          <div className={styles.resizable} style={{ width: `${width}rem` }}>
            Width: {width} rem
            <ResizeHandle
              label="Width of the pane"
              edge="end"
              range={[10, 20]}
              onResize={(next) => setWidth(Math.round(next ?? 15))}
            />
          </div>
        </Tabs>
      </Example>
      <Example title="Menu, Popover, Dialog, FormDialog, ConfirmDialog, Toaster">
        <Opener label="Open the menu">
          {(anchor, close) => <Menu label="Menu" items={ITEMS} anchor={anchor} onClose={close} />}
        </Opener>
        <Opener label="Open the popover">
          {(anchor, close) => (
            <Popover label="Popover" anchor={anchor} onClose={close}>
              <p className={layout.body}>Content of a popover</p>
            </Popover>
          )}
        </Opener>
        <Opener label="Open the dialog">
          {(_, close) => (
            <Dialog title="Edit history" onClose={close}>
              <p className={layout.body}>This message was not edited.</p>
            </Dialog>
          )}
        </Opener>
        <Opener label="Open the form">
          {(_, close) => (
            <FormDialog
              title="Add a bookmark"
              action="Add bookmark"
              run={() => formFailure('Enter a link that starts with https://.', 'link')}
              onClose={close}
            >
              <TextField name="link" label="Link" />
            </FormDialog>
          )}
        </Opener>
        <Opener label="Open the confirmation">
          {(_, close) => (
            <ConfirmDialog
              title="Delete #rota?"
              text="All messages and files are deleted."
              action="Delete channel"
              isDestructive
              run={() => formFailure('The server can’t be reached.')}
              onClose={close}
            />
          )}
        </Opener>
        <ToastButton />
      </Example>
      <Example title="Skeleton, Page, ErrorBoundary, EmptyState">
        <EmptyState title="No drafts" text="Messages you’ve started but not sent appear here.">
          <Button>Write a message</Button>
        </EmptyState>
        <Skeleton label="Loading messages" rows={2} />
        <Skeleton label="Loading lines" rows={2} shape="lines" />
        <Page title="Sign in" lead="With your email address.">
          <Button variant="primary">Continue</Button>
        </Page>
        <PaneBoundary>
          <Failing />
        </PaneBoundary>
      </Example>
    </>
  )
}

function Example({ title, children }: { title: string; children: ReactNode }) {
  return (
    <div className={styles.example}>
      <h2 className={styles.title}>{title}</h2>
      <div className={styles.states}>{children}</div>
    </div>
  )
}

/** A button that opens something beside itself. */
function Opener({
  label,
  children,
}: {
  label: string
  children: (anchor: HTMLElement, close: () => void) => ReactNode
}) {
  const [anchor, setAnchor] = useState<HTMLElement | null>(null)
  return (
    <>
      <Button onClick={(event) => setAnchor(event.currentTarget)}>{label}</Button>
      {anchor ? children(anchor, () => setAnchor(null)) : null}
    </>
  )
}

function ToastButton() {
  const showToast = useToast()
  const toast = { text: 'Message deleted.', action: { label: 'Undo', run: () => {} } }
  return <Button onClick={() => showToast(toast)}>Show a toast</Button>
}

function Failing(): ReactNode {
  throw new Error('The error of the gallery')
}
