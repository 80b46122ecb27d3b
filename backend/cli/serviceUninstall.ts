import { existsSync, readFileSync, rmSync } from 'node:fs'
import { userInfo } from 'node:os'
import { defineCommand, UsageError } from './Command.ts'
import { mark, requireSystemd, runSystemctl, unitFile, unitName } from './systemdUnit.ts'

/** The first words of the unit of docs/service.md, which an administrator has copied. */
const templateMark = '# The service of docs/service.md.'

/** Throws UsageError if there is no unit, or if it is not one of Linnet. Returns its text. */
function readUnit(file: string, isOfSystem: boolean): string {
  if (!existsSync(file)) {
    const other = isOfSystem ? 'the user who has installed it' : 'root'
    throw new UsageError(
      `There is no service to remove: ${file} does not exist. ` +
        `If "systemctl ${isOfSystem ? '--user ' : ''}status linnet" shows a service, run this command as ${other}.`,
    )
  }
  const text = readFileSync(file, 'utf8')
  if (text.startsWith(mark) || text.startsWith(templateMark)) return text
  throw new UsageError(`${file} is not a unit of "linnet service install". Remove it yourself.`)
}

/** `linnet service uninstall`: stops the service and removes it. */
export const serviceUninstall = defineCommand({
  name: 'service uninstall',
  group: 'Server',
  summary: 'Stop the service and remove it; the data stay',
  help: `Stops the service, disables it and removes its unit. The data, the backups and the settings stay. As
root, this command removes the service of the system. As any other user, it removes the service of
this user.`,
  options: {},
  async run() {
    const isOfSystem = process.getuid?.() === 0
    requireSystemd()
    const file = unitFile(isOfSystem)
    const text = readUnit(file, isOfSystem)
    const dataDir = /^WorkingDirectory=(.*)$/m.exec(text)?.[1]?.replaceAll('%%', '%')
    runSystemctl(isOfSystem, ['disable', '--now', unitName])
    rmSync(file)
    runSystemctl(isOfSystem, ['daemon-reload'])
    const lines = [`Stopped the service and removed ${file}.`, `The data stay in ${dataDir}.`]
    const changes = `${file}.d`
    if (existsSync(changes)) lines.push(`Your changes of the unit stay in ${changes}.`)
    const user = userInfo().username
    if (!isOfSystem && existsSync(`/var/lib/systemd/linger/${user}`))
      lines.push(`If no other service needs it, run as root: loginctl disable-linger ${user}`)
    process.stderr.write(`${lines.join('\n')}\n`)
    return 0
  },
})
