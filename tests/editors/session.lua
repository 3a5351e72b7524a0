-- A session in Neovim without a window, from 0.7 on: a mistake, its fix, a completion and a rename, through Neovim's own client.
-- Started by neovim.test.mjs, which names the program, the folder of the site and the file for the report.

local program, site, report = vim.env.SITEGEN_PROGRAM, vim.env.SITEGEN_SITE, vim.env.SITEGEN_REPORT
local HOME = site .. "/content/pages/home/en.yaml"
local done = {}

local function save()
  local file = assert(io.open(report, "w"))
  file:write(vim.fn.json_encode(done))
  file:close()
end

local function wait(what, test)
  if not vim.wait(60000, test, 20) then
    error("waited in vain for " .. what)
  end
end

local function codes()
  return vim.tbl_map(function(problem)
    return problem.code
  end, vim.diagnostic.get(0))
end

--- Replaces the first text in the buffer, and puts the cursor there. Returns the number of the line and what it was.
local function replace(before, after)
  for number, line in ipairs(vim.api.nvim_buf_get_lines(0, 0, -1, false)) do
    local from, to = line:find(before, 1, true)
    if from then
      vim.api.nvim_buf_set_text(0, number - 1, from - 1, number - 1, to, { after })
      vim.api.nvim_win_set_cursor(0, { number, from - 1 + #after })
      return number, line
    end
  end
  error("no `" .. before .. "` in the buffer")
end

local function request(method, parameters)
  local answers = assert(vim.lsp.buf_request_sync(0, method, parameters, 60000))
  local _, answer = next(answers)
  assert(not answer.err, vim.inspect(answer.err))
  return answer.result
end

local function session()
  local id = assert(vim.lsp.start_client({
    name = "sitegen",
    cmd = { program, "lsp" },
    root_dir = site,
  }))
  local client = vim.lsp.get_client_by_id(id)
  vim.cmd("edit " .. vim.fn.fnameescape(HOME))
  assert(vim.lsp.buf_attach_client(0, id))
  wait("the server", function()
    return client.initialized
  end)

  replace("eyebrow: A studio", "eyebro: A studio")
  wait("the mistake", function()
    return vim.tbl_contains(codes(), "unknown-key")
  end)
  local problem = vim.diagnostic.get(0)[1]
  done.problem = { message = problem.message, line = problem.lnum, from = problem.col, to = problem.end_col }

  local parameters = vim.lsp.util.make_range_params()
  local place = { line = problem.lnum, character = problem.col }
  parameters.range = { start = place, ["end"] = place }
  parameters.context = { diagnostics = {} }
  local actions = request("textDocument/codeAction", parameters)
  done.fixes = vim.tbl_map(function(action)
    return action.title
  end, actions)
  vim.lsp.util.apply_workspace_edit(actions[1].edit, client.offset_encoding)
  wait("a page without problems", function()
    return #codes() == 0
  end)

  local number, line = replace("to: page:services#build", "to: page:")
  wait("the mistake", function()
    return #codes() > 0
  end)
  local items = request("textDocument/completion", vim.lsp.util.make_position_params())
  done.completions = vim.tbl_map(function(item)
    return item.label
  end, items.items or items)
  vim.api.nvim_buf_set_lines(0, number - 1, number, true, { line })
  wait("a page without problems", function()
    return #codes() == 0
  end)

  -- A case study: its file, its picture and every file that names it.
  replace("study: vivero-nogal", "study: vivero-nogal")
  vim.api.nvim_win_set_cursor(0, { vim.api.nvim_win_get_cursor(0)[1], vim.api.nvim_win_get_cursor(0)[2] - 2 })
  vim.lsp.buf.rename("plant-nursery")
  wait("the file of the study", function()
    return vim.fn.filereadable(site .. "/content/case-studies/plant-nursery.yaml") == 1
  end)
  vim.cmd("wall")
  done.hover = request("textDocument/hover", vim.lsp.util.make_position_params())
  vim.lsp.stop_client(id)
  done.ended = true
end

local ok, why = pcall(session)
if not ok then
  done.error = tostring(why)
end
save()
vim.cmd("qall!")
