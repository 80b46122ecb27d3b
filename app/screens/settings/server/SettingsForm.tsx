import { i18n } from '@lingui/core'
import { createContext, use, useMemo, useState, type HTMLInputTypeAttribute, type ReactNode } from 'react'
import type {
  ServerSettings,
  SettingChanges,
  SettingsRefusal,
  SettingValue,
} from '../../../../wire/serverSettings.ts'
import { saveServerSettings } from '../../../data/administration/serverSettings.ts'
import { Checkbox } from '../../../ui/Checkbox.tsx'
import { ConfirmDialog } from '../../../ui/ConfirmDialog.tsx'
import { Form } from '../../../ui/Form.tsx'
import { TextField } from '../../../ui/TextField.tsx'
import { explain, explainRefusal } from './explainRefusal.ts'
import { settingLabel } from './settingLabels.ts'
import { useLinnetCommand } from '../../../features/parts/server/useLinnetCommand.ts'

interface Draft {
  state: ServerSettings
  /** Changed values by key. A text is empty where the setting is removed. */
  changed: Readonly<Record<string, string | boolean>>
  change: (key: string, value: string | boolean) => void
  /** The changes as the server expects them. */
  changes: SettingChanges
}

const DraftContext = createContext<Draft | null>(null)

function useDraft(): Draft {
  const draft = use(DraftContext)
  if (!draft) throw new Error('A field of a setting is rendered outside of SettingsForm')
  return draft
}

/** The changes of the form, also before they are saved. */
export const useChanges = (): SettingChanges => useDraft().changes

const isWholeNumber = (text: string) => /^\d{1,9}$/.test(text)

/** The changes of a draft as the server expects them. */
function changesOf(
  { state, changed }: Pick<Draft, 'state' | 'changed'>,
  numbers: readonly string[],
): SettingChanges {
  const entries = Object.entries(changed).flatMap(([key, value]): [string, SettingValue | null][] => {
    const before = state.settings[key]?.value ?? (typeof value === 'boolean' ? null : '')
    const text = typeof value === 'string' ? value.trim() : value
    if (String(before) === String(text)) return []
    if (text === '') return [[key, null]]
    return [
      [key, typeof text === 'string' && numbers.includes(key) && isWholeNumber(text) ? Number(text) : text],
    ]
  })
  return Object.fromEntries(entries)
}

const warnings: readonly SettingsRefusal[] = ['address_unreachable', 'last_sign_in_method']

const NO_NUMBERS: readonly string[] = []
const unchanged = (changes: SettingChanges) => changes

interface Props {
  state: ServerSettings
  /** The keys of numbers. */
  numbers?: readonly string[]
  /** Completes the changes, for example with settings that others need. */
  complete?: (changes: SettingChanges) => SettingChanges
  /** Called after a save, and with true if another owner has saved meanwhile. */
  onSave: (isConflict: boolean) => void
  /** Called with the setting that is refused. */
  onRefused?: (key: string) => void
  children: ReactNode
  /** Controls beside the button, which may use the changes before they are saved. */
  after?: ReactNode
}

/** A section of settings that is saved together. It asks before it stores settings that the server warns about. */
export function SettingsForm({
  state,
  numbers = NO_NUMBERS,
  complete = unchanged,
  onSave,
  onRefused,
  children,
  after,
}: Props) {
  const linnet = useLinnetCommand()
  const [changed, setChanged] = useState<Draft['changed']>({})
  const [warning, setWarning] = useState<{ name: SettingsRefusal; accepted: SettingsRefusal[] } | null>(null)
  const changes = useMemo(
    () => complete(changesOf({ state, changed }, numbers)),
    [complete, state, changed, numbers],
  )
  const isSame = Object.keys(changes).length === 0

  const draft = useMemo(
    () => ({
      state,
      changed,
      changes,
      change: (key: string, value: string | boolean) => setChanged((before) => ({ ...before, [key]: value })),
    }),
    [state, changed, changes],
  )

  const save = async (accept: SettingsRefusal[] = []) => {
    const outcome = await explain(saveServerSettings(state.revision, changes, accept))
    if (outcome.ok) {
      onSave(false)
      setChanged({})
      return outcome
    }
    const { name, field } = outcome.failure
    if (name === 'changed_meanwhile') {
      onSave(true)
      return null
    }
    if (field) onRefused?.(field)
    const refusal = warnings.find((one) => one === name)
    if (refusal) setWarning({ name: refusal, accepted: [...accept, refusal] })
    return outcome
  }

  return (
    <DraftContext value={draft}>
      <Form
        action={i18n._('Save')}
        isDisabled={isSame}
        run={() => save()}
        doneText={i18n._('Saved. Changes take effect when the server restarts.')}
        after={after}
      >
        {children}
      </Form>
      {warning ? (
        <ConfirmDialog
          title={
            warning.name === 'address_unreachable'
              ? i18n._('This address doesn’t lead to this server')
              : i18n._('Will you still be able to sign in?')
          }
          text={
            warning.name === 'address_unreachable'
              ? i18n._(
                  'The server couldn’t reach itself at this address. If you save it anyway, Linnet may be unreachable for everyone after the restart. To undo it, run on the server: {linnet} settings reset',
                  { linnet },
                )
              : explainRefusal(warning.name, '')
          }
          action={i18n._('Save anyway')}
          run={() => save(warning.accepted)}
          onClose={() => setWarning(null)}
        />
      ) : null}
    </DraftContext>
  )
}

interface FieldProps {
  /** The key of the setting. */
  setting: string
  hint?: string
  placeholder?: string | undefined
  type?: HTMLInputTypeAttribute
  inputMode?: 'numeric' | 'url' | 'email'
}

/** States where a setting is fixed, in place of its hint. */
const fixedHint = (place: string) => i18n._('Set in {place}. Change it there.', { place })

/** The text field of a setting. A setting that a file fixes is read-only. */
export function SettingField({ setting, hint, ...input }: FieldProps) {
  const { state, changed, change } = useDraft()
  const { value = null, fixedBy = null } = state.settings[setting] ?? {}
  return (
    <TextField
      {...input}
      name={setting}
      dir={input.inputMode ? 'ltr' : 'auto'}
      label={settingLabel(setting)}
      hint={fixedBy === null ? hint : fixedHint(fixedBy)}
      readOnly={fixedBy !== null}
      spellCheck={false}
      value={String(changed[setting] ?? value ?? '')}
      onChange={(text) => change(setting, text)}
    />
  )
}

/** A setting that the page only displays. */
export function DisplayedSetting({ setting, hint }: { setting: string; hint: string }) {
  const { value = null, fixedBy } = useDraft().state.settings[setting] ?? {}
  const place = fixedBy ?? 'linnet.toml'
  return (
    <TextField
      name={setting}
      dir="ltr"
      label={settingLabel(setting)}
      hint={`${hint} ${value === null ? i18n._('It can only be set in {place}.', { place }) : fixedHint(place)}`}
      placeholder="–"
      readOnly
      value={String(value ?? '')}
      onChange={ignore}
    />
  )
}

const ignore = () => {}

/** The field of a password. The server returns only whether there is one. */
export function SecretField({ setting, hint: about }: { setting: string; hint?: string }) {
  const { state, changed, change } = useDraft()
  const { isSet = false, fixedBy = null } = state.settings[setting] ?? {}
  const hint = isSet
    ? i18n._('Saved, but never shown. Leave this empty to keep it.')
    : i18n._('Not set. Once saved, it’s never shown.')
  return (
    <TextField
      name={setting}
      type="password"
      autoComplete="new-password"
      label={settingLabel(setting)}
      hint={[about, fixedBy === null ? hint : fixedHint(fixedBy)].filter(Boolean).join(' ')}
      readOnly={fixedBy !== null}
      value={String(changed[setting] ?? '')}
      onChange={(text) => change(setting, text)}
    />
  )
}

/** The checkbox of a setting. */
export function SettingCheckbox({
  setting,
  hint,
  isOnByDefault = false,
}: {
  setting: string
  hint?: string
  isOnByDefault?: boolean
}) {
  const { state, changed, change } = useDraft()
  const { value = null, fixedBy = null } = state.settings[setting] ?? {}
  return (
    <Checkbox
      label={settingLabel(setting)}
      hint={fixedBy === null ? hint : fixedHint(fixedBy)}
      isDisabled={fixedBy !== null}
      checked={Boolean(changed[setting] ?? value ?? isOnByDefault)}
      onChange={(isOn) => change(setting, isOn)}
    />
  )
}
