-- Drives geakd from a real client: neovim, headless. Arguments by environment: GEAKD, BUILD, SOURCE,
-- KERNEL (its name, for hover and lens). Prints one line a check; ends with status 1 on the first
-- that fails.
local build, source, kernel = vim.env.BUILD, vim.env.SOURCE, vim.env.KERNEL
local progress, messages = {}, {}

local function check(name, good, detail)
  io.write((good and 'ok   ' or 'FAIL ') .. name .. (detail and (': ' .. detail) or '') .. '\n')
  if not good then
    for _, text in ipairs(messages) do io.write('     server said: ' .. text .. '\n') end
    vim.cmd('cquit 1')
  end
end

local capabilities = vim.lsp.protocol.make_client_capabilities()
capabilities.window = { workDoneProgress = true }
local client_id = vim.lsp.start_client({
  name = 'geakd',
  cmd = { vim.env.GEAKD, '--stdio', '--manual', '-p', build },
  root_dir = vim.fn.fnamemodify(source, ':h'),
  capabilities = capabilities,
  handlers = {
    ['$/progress'] = function(_, params) table.insert(progress, params.value) end,
    ['window/showMessage'] = function(_, params) table.insert(messages, params.message) end,
  },
})
check('geakd starts', client_id ~= nil)
-- Before the server has told its capabilities neovim refuses every request, with a message.
vim.wait(60000, function()
  local client = vim.lsp.get_client_by_id(client_id)
  return client ~= nil and client.initialized == true
end, 50)
vim.cmd('edit ' .. vim.fn.fnameescape(source))
vim.lsp.buf_attach_client(0, client_id)
local document = { uri = vim.uri_from_bufnr(0) }

-- The result of a request, or nothing when it failed or took over a minute.
local function request(method, params)
  local answers = vim.lsp.buf_request_sync(0, method, params, 60000)
  local answer = answers and answers[client_id]
  return answer and answer.result
end

local function kernel_lens()
  for _, lens in ipairs(request('textDocument/codeLens', { textDocument = document }) or {}) do
    local line = vim.fn.getline(lens.range.start.line + 1)
    if line:find(kernel, 1, true) then return lens end
  end
end

-- The limit only ends a test that fails.
vim.wait(120000, function() return kernel_lens() ~= nil end, 500)
local lens = kernel_lens()
check('a lens above the kernel', lens ~= nil, lens and lens.command.title)
check('its title is geak\'s', lens.command.title:find('^geak: ') ~= nil)

vim.fn.append(0, { '// an unsaved line', '// and another' })
local moved = kernel_lens()
check('the lens follows unsaved lines', moved and moved.range.start.line == lens.range.start.line + 2)

local column = vim.fn.getline(moved.range.start.line + 1):find(kernel, 1, true)
local hover = request('textDocument/hover', {
  textDocument = document,
  position = { line = moved.range.start.line, character = column },
})
check('hover tells of the kernel', hover and hover.contents.value:find(kernel, 1, true) ~= nil)

local argument = moved.command.arguments[1]
if vim.env.EXPECT == 'optimized' then
  check('the lens says ratio, evidence and verification',
    moved.command.title:find('%d%.%d%dx modelled%(gfx90a%), verified%(emulated gfx90a%)') ~= nil,
    moved.command.title)
  local shown = request('workspace/executeCommand',
    { command = 'geak.showDiff', arguments = { argument } })
  local diff = shown and table.concat(vim.fn.readfile(shown.path), '\n') or ''
  check('the diff is unified and names the variant',
    diff:find('\n@@ ') ~= nil and diff:find('__geak_') ~= nil)
else
  request('workspace/executeCommand', { command = 'geak.optimize', arguments = { argument } })
  vim.wait(600000, function() return #progress > 0 and progress[#progress].kind == 'end' end, 200)
  check('work begins and ends in the editor\'s progress',
    #progress >= 2 and progress[1].kind == 'begin' and progress[#progress].kind == 'end',
    progress[#progress] and progress[#progress].message)
  check('no report has a percentage', vim.tbl_isempty(vim.tbl_filter(
    function(value) return value.percentage ~= nil end, progress)))
  vim.wait(60000, function()
    local now = kernel_lens()
    return now and now.command.title ~= moved.command.title and
      not now.command.title:find('optimizing')
  end, 500)
  check('the lens has a result', kernel_lens().command.title ~= moved.command.title,
    kernel_lens().command.title)
end

vim.lsp.stop_client(client_id)
vim.wait(60000, function() return vim.lsp.client_is_stopped(client_id) end)
check('geakd stops', vim.lsp.client_is_stopped(client_id))
vim.cmd('qall!')
